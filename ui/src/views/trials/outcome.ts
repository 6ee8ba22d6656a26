/** What the scanner made of an output, as lines of a comparison. */
import type { Aspect, Masked, Parsed } from "../../generated/wire";
import { count, words } from "../../store/format";
import { detailOf, subjectOf, tagOf } from "../turn/model/directive";

/** One line: what it is about, and what two readings must have alike there. */
export interface OutcomeRow {
  readonly aspect: Aspect;
  readonly title: string;
  /** Shown as it is written, invisible characters included. */
  readonly verbatim?: boolean;
  readonly of: (parsed: Parsed, masked: readonly Masked[]) => readonly string[];
}

const bytes = ([from, to]: readonly [number, number]): string => `bytes ${count(from)}–${count(to)}`;

/** In the order in which a person asks. */
export const OUTCOME_ROWS: readonly OutcomeRow[] = [
  { aspect: "clean_text", title: "Clean text", verbatim: true, of: ({ clean_text }) => (clean_text === "" ? [] : [clean_text]) },
  {
    aspect: "masked", title: "Masked",
    of: (_, masked) => masked.map(({ secrets, inside, span }) => [secrets.join(", "), inside === null ? "" : `in ${inside}`, bytes(span)].filter((part) => part !== "").join(" · ")),
  },
  {
    aspect: "directives", title: "Directives",
    of: ({ directives }) => directives.map((d) => [tagOf(d), subjectOf(d), detailOf(d)].filter((part) => part !== "").join(" · ")),
  },
  { aspect: "header", title: "Header", of: ({ header }) => Object.entries(header).map(([key, value]) => (value === true ? key : `${key}: ${String(value)}`)) },
  { aspect: "actions", title: "JSON actions", of: ({ actions }) => actions.map((action) => `${action.type} · ${bytes(action.span)}`) },
  { aspect: "diagnostics", title: "Findings", of: ({ diagnostics }) => diagnostics.map((d) => `${d.code} · ${bytes(d.span)}`) },
  { aspect: "suppressed", title: "Delivery", of: ({ suppressed }) => [suppressed === null ? "delivered" : `suppressed: ${words(suppressed)}`] },
  {
    aspect: "ranges", title: "Bytes",
    of: ({ ranges }) =>
      (["show", "strip", "drop"] as const).flatMap((fate) => {
        const sum = ranges.reduce((n, { fate: f, span }) => (f === fate ? n + span[1] - span[0] : n), 0);
        if (sum === 0) return [];
        const masked = fate === "show" ? ranges.reduce((n, { reason, span }) => (reason === "redacted" ? n + span[1] - span[0] : n), 0) : 0;
        return [`${count(sum)} ${{ show: "shown", strip: "stripped", drop: "dropped" }[fate]}${masked === 0 ? "" : `, ${count(masked)} of them masked`}`];
      }),
  },
];

/** What one way to read an output came to. */
export interface Outcome {
  readonly parsed: Parsed;
  readonly masked?: readonly Masked[];
}

/** The rows that these readings fill, or differ in. Masked secrets and JSON actions are left out where no reading has any. */
export function rowsOf(readings: readonly Outcome[], differs: readonly Aspect[]): readonly OutcomeRow[] {
  const rare = (aspect: Aspect): boolean => aspect === "actions" || aspect === "masked";
  return OUTCOME_ROWS.filter(({ aspect, of }) => !rare(aspect) || differs.includes(aspect) || readings.some(({ parsed, masked = [] }) => of(parsed, masked).length > 0));
}

/** Aspects in words, for a sentence. */
export const ASPECT_WORDS: Readonly<Record<Aspect, string>> = {
  leak: "bytes of a directive were shown",
  released: "text was shown and taken back",
  clean_text: "clean text",
  directives: "directives",
  header: "header",
  actions: "JSON actions",
  diagnostics: "findings",
  suppressed: "delivery",
  ranges: "fate of bytes",
  masked: "masked secrets",
};
