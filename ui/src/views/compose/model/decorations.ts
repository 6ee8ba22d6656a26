/** What the scanner decided, as decorations of the editor: which text gets which look, in order. */
import type { Composed, Masked, Range, Severity } from "../../../generated/wire";
import { ByteText } from "../../../store/text";

export interface Mark {
  /** Code units, as the editor counts. */
  from: number;
  to: number;
  /** Class of the look. */
  look: string;
  /** For the tooltip. */
  title: string;
}

const LOOKS: Record<Range["fate"], string> = { show: "", strip: "cm-stripped", drop: "cm-dropped" };
const WORDS: Record<Range["fate"], string> = { show: "shown", strip: "stripped", drop: "dropped" };

/** What a secret is and where it goes, in a sentence. */
export const maskedWords = ({ about, secrets, inside }: Masked): string =>
  `${about} (${secrets.join(", ")}); ${inside === null ? "shown" : `said by ${inside}`} as [redacted]`;

/** Marks for all that is not simply shown, neighbours with the same look joined. */
export function marksOf(text: ByteText, ranges: readonly Range[], masked: readonly Masked[] = []): Mark[] {
  const marks: Mark[] = [];
  for (const { span, fate, reason } of ranges) {
    if (fate === "show") continue;
    const from = text.unit(span[0]);
    const to = text.unit(span[1]);
    if (from >= to) continue;
    // A line through nothing but white space would look like a dash.
    const blank = fate === "drop" && /^\s+$/.test(text.slice(span));
    const look = blank ? `${LOOKS[fate]}-blank` : LOOKS[fate];
    const title = `${WORDS[fate]}: ${reason ?? "no reason given"}`;
    const last = marks[marks.length - 1];
    if (last !== undefined && last.to === from && last.title === title && last.look === look) last.to = to;
    else marks.push({ from, to, look, title });
  }
  for (const secret of masked)
    for (const span of secret.inside === null ? shownOf(secret, ranges) : [secret.span])
      marks.push({ from: text.unit(span[0]), to: text.unit(span[1]), look: "cm-masked", title: `masked: ${maskedWords(secret)}` });
  return marks;
}

/** The bytes of a secret in the text, without those of a directive that divides it. */
function shownOf({ span }: Masked, ranges: readonly Range[]): Range["span"][] {
  return ranges
    .filter((range) => range.reason === "redacted" && range.span[0] < span[1] && span[0] < range.span[1])
    .map((range) => [Math.max(range.span[0], span[0]), Math.min(range.span[1], span[1])]);
}

/** A finding as the editor shows it. */
export interface Squiggle {
  /** Its place among the findings: a rule can find the same thing twice. */
  id: number;
  from: number;
  to: number;
  severity: Severity;
  code: string;
  message: string;
  explanation: string;
  line: number;
  column: number;
  fix: { from: number; to: number; insert: string; title: string } | null;
}

/** Squiggles in the order of their places. An empty span is widened to one character, so that it can be seen. */
export function squigglesOf(text: ByteText, lints: Composed["lints"]): Squiggle[] {
  return lints
    .map(({ diagnostic, line, column, explanation }) => {
      let from = text.unit(diagnostic.span[0]);
      let to = text.unit(diagnostic.span[1]);
      if (to <= from) {
        to = Math.min(text.text.length, from + 1);
        from = Math.max(0, to - 1);
      }
      const { fix } = diagnostic;
      return {
        id: 0,
        from,
        to,
        severity: diagnostic.severity,
        code: diagnostic.code,
        message: diagnostic.message,
        explanation,
        line,
        column,
        fix: fix && { from: text.unit(fix.span[0]), to: text.unit(fix.span[1]), insert: fix.text, title: fix.title },
      };
    })
    .sort((a, b) => a.from - b.from || a.to - b.to)
    .map((squiggle, id) => ({ ...squiggle, id }));
}

/** The finding whose fix the key applies: under the cursor, else the next one that has a fix. */
export function fixAt(squiggles: readonly Squiggle[], cursor: number): Squiggle | null {
  const fixable = squiggles.filter((s) => s.fix !== null);
  return fixable.find((s) => s.from <= cursor && cursor <= s.to) ?? fixable.find((s) => s.from > cursor) ?? fixable[0] ?? null;
}
