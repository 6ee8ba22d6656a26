/** How messages fill what a channel takes, in figures and words that add up. */
import type { CutPlace, LengthUnit, RuledMessage, Ruler } from "../../generated/wire";
import { count } from "../../store/format";

const UNITS: Readonly<Record<LengthUnit, string>> = { utf16: "UTF-16 units", scalars: "characters", bytes: "bytes", weighted: "weighted characters" };
const CUTS: Readonly<Record<CutPlace, string>> = {
  paragraph: "cut between paragraphs", line: "cut between lines", sentence: "cut between sentences", word: "cut between words", inside: "cut inside a word",
};

export const unitWords = (unit: LengthUnit): string => UNITS[unit];
export const cutWords = (cut: CutPlace): string => CUTS[cut];

/** What a message's bar is made of. */
export interface Segment {
  key: "shown" | "markup" | "escapes";
  units: number;
}

/** What counts of a message, part by part. */
export function segmentsOf({ shown, markup, escapes }: RuledMessage, { free_markup }: Pick<Ruler, "free_markup">): Segment[] {
  const all: Segment[] = [{ key: "shown", units: shown }];
  if (!free_markup) all.push({ key: "markup", units: markup }, { key: "escapes", units: escapes });
  return all.filter(({ units }) => units > 0);
}

/** Above nine tenths a person should know, above the limit the platform refuses it. */
export const fullness = (counts: number, limit: number): "ok" | "warn" | "danger" => (counts > limit ? "danger" : counts > 0.9 * limit ? "warn" : "ok");

/** Why a text counts as more, or less, than what was written. */
export interface Growth {
  written: number;
  /** What is added or taken away on the way; zero is left out. */
  steps: { key: "fences" | "escapes" | "marks"; units: number; about: string }[];
  counts: number;
  /** What is sent besides and does not count. */
  free: number;
}

/** From what was written to what counts: the steps add up. */
export function growthOf({ messages, free_markup }: Pick<Ruler, "messages" | "free_markup">): Growth {
  const sum = (key: "written" | "opened" | "closed" | "escapes" | "markup" | "counts"): number => messages.reduce((n, message) => n + message[key], 0);
  const [written, fences, counts] = [sum("written"), sum("opened") + sum("closed"), sum("counts")];
  const escapes = free_markup ? 0 : sum("escapes");
  const marks = counts - written - fences - escapes;
  const steps: Growth["steps"] = [
    { key: "fences", units: fences, about: "fences closed and opened again, table heads repeated" },
    { key: "escapes", units: escapes, about: "escaped characters" },
    { key: "marks", units: marks, about: "the platform's marks in place of the agent's" },
  ];
  return { written, steps: steps.filter(({ units }) => units !== 0), counts, free: free_markup ? sum("markup") + sum("escapes") : 0 };
}

/** `+12`, `−3`. */
export const signed = (n: number): string => (n < 0 ? `−${count(-n)}` : `+${count(n)}`);

/** One message in a sentence, for a tooltip. */
export function messageWords(message: RuledMessage, ruler: Pick<Ruler, "free_markup" | "limit" | "unit">): string {
  const parts = [`${count(message.shown)} to read`];
  if (message.markup > 0) parts.push(`${count(message.markup)} markup${ruler.free_markup ? ", not counted" : ""}`);
  if (message.escapes > 0) parts.push(`${count(message.escapes)} by escaping${ruler.free_markup ? ", not counted" : ""}`);
  const put = message.opened + message.closed;
  const repair = put > 0 ? `, ${count(put)} put in at cuts` : "";
  return `${count(message.counts)} of ${count(ruler.limit)} ${unitWords(ruler.unit)}: ${parts.join(", ")}. Written: ${count(message.written)}${repair}.`;
}
