/** Completion of JSON actions in the agent's output: the rows come from the backend, which reads them from one table. */
import type { CatalogAction, PayloadKey } from "../../generated/wire";
import { placeOf, type Place } from "./model/actionPlace";

/** Something that can be written where the cursor stands. */
export interface Offer {
  readonly code: string;
  readonly about: string;
  /** A word beside it, such as `required`. */
  readonly note: string;
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  /** Where the cursor stands then, in what is inserted. */
  readonly cursor: number;
}

/** What can be written at the cursor; none where nothing can, or where it is written out. */
export function offeredActions(actions: readonly CatalogAction[], text: string, cursor: number): readonly Offer[] {
  const place = placeOf(text, cursor);
  if (place === null) return [];
  const written = text.slice(place.from, place.to);
  const word = text.slice(place.from, cursor).replace(/^"/, "").toLowerCase();
  const offers = of(actions, place, text).filter(({ code }) => place.at === "action" || code.replace(/^"/, "").toLowerCase().startsWith(word));
  return offers.length === 1 && offers[0]?.insert === written ? [] : offers;
}

function of(actions: readonly CatalogAction[], place: Place, text: string): Offer[] {
  const { from, to } = place;
  const keysOf = (name: string): readonly PayloadKey[] => actions.find((action) => action.name === name)?.keys ?? [];
  switch (place.at) {
    case "action":
      return actions.map((action) => ({ ...toldAs(action), from, to, insert: action.template, cursor: gap(action.template) }));
    case "name":
      return actions.map((action) => ({ ...toldAs(action), from, to, ...whole(JSON.stringify(action.name)) }));
    case "key":
      return keysOf(place.action)
        .filter(({ name }) => !place.written.includes(name))
        .map((key) => ({ code: key.name, about: key.about, note: key.required ? "required" : key.types.join(" or "), from, to, ...keyText(key, text.slice(to)) }));
    case "value":
      return (keysOf(place.action).find(({ name }) => name === place.key)?.values ?? []).map((value) => ({ code: value, about: "", note: "", from, to, ...whole(value) }));
  }
}

const toldAs = ({ name, about, off }: CatalogAction): Pick<Offer, "code" | "about" | "note"> => ({ code: name, about, note: off === null ? "" : "off" });

const whole = (insert: string): Pick<Offer, "insert" | "cursor"> => ({ insert, cursor: insert.length });

/** A key with its colon, and the quotes of a text, unless its value stands there already. */
function keyText({ name, types, values }: PayloadKey, behind: string): Pick<Offer, "insert" | "cursor"> {
  const key = JSON.stringify(name);
  if (/^\s*:/.test(behind)) return whole(key);
  const quoted = types.length === 1 && types[0] === "string" && values.length === 0;
  return { insert: quoted ? `${key}:""` : `${key}:`, cursor: key.length + (quoted ? 2 : 1) };
}

/** The first place to fill in: within the first empty text, else within the payload. */
export function gap(template: string): number {
  const empty = template.indexOf('""');
  if (empty >= 0) return empty + 1;
  const payload = template.indexOf("{}");
  return payload >= 0 ? payload + 1 : template.length;
}
