/** What a delivery turn gave its agent, in rows for people, and the turns before and behind it. */
import type { DeliveryRequest, ResultItem } from "../../../generated/wire";
import { bytes, plural } from "../../../store/format";

/** A fact of a delivery request. */
export interface ChainFact {
  what: string;
  text: string;
}

/** The words for the reason of a delivery. */
const CAME_OF = { output: "the output of", event: "an event of", error: "an error of" } as const;

/** What is delivered, in one line: `the output of bash`. */
export const cameOf = ({ outcome, action }: DeliveryRequest): string => `${CAME_OF[outcome]} ${action.name}`;

/** Who asked for the action, what it was, and how far along its chain it stands. */
export function factsOf(request: DeliveryRequest): ChainFact[] {
  const { action, requester, depth, corrections } = request;
  const facts: ChainFact[] = [{ what: "Action", text: action.name }];
  if (action.command !== undefined) facts.push({ what: "Command", text: action.command });
  const name = requester.display_name === "" ? requester.id : requester.display_name;
  facts.push({ what: "Requester", text: name === requester.id ? name : `${name} (${requester.id})` });
  facts.push({ what: "Depth", text: `delivery ${String(depth)} of one message` });
  if (corrections !== undefined) facts.push({ what: "Corrections", text: `${plural(corrections, "correction")} left` });
  const omitted = request.items_omitted ?? 0;
  if (omitted > 0) facts.push({ what: "Left out", text: plural(omitted, "item") });
  return facts;
}

/** How an item ended, and its length: `exit 1 · 12 KB`. */
export function endOf({ exit, note, bytes: length }: ResultItem): string {
  const parts = [exit === undefined ? "" : `exit ${String(exit)}`, note ?? "", bytes(length)];
  return parts.filter((part) => part !== "").join(" · ");
}

/** The line between the beginning and the end of an item that was cut; nothing where it is whole. */
export function leftOut({ omitted }: ResultItem): string | null {
  return omitted === undefined ? null : `${bytes(omitted[1] - omitted[0])} left out`;
}
