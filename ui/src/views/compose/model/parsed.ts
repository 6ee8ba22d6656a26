/** What the scanner read, as lists of it. */
import type { JsonAction, Parsed, Span } from "../../../generated/wire";
import { detailOf, subjectOf, tagOf } from "../../turn/model/directive";

export interface ParsedItem {
  readonly key: string;
  readonly name: string;
  readonly subject: string;
  readonly about: string;
  readonly span: Span | null;
}

/** Header keys and directives, in the order in which they were written. */
export function directiveItems(parsed: Parsed): ParsedItem[] {
  const header = parsed.ranges.find((r) => r.reason === "header")?.span ?? null;
  return [
    ...Object.entries(parsed.header).map(([key, value]) => ({ key: `header:${key}`, name: key, subject: value === true ? "" : String(value), about: "header", span: header })),
    ...parsed.directives.map((d, i) => ({ key: `directive:${i}`, name: tagOf(d), subject: subjectOf(d), about: detailOf(d), span: d.span })),
  ];
}

/** The actions, each with its command where it has one, as it is told everywhere else. */
export const actionItems = ({ actions }: Parsed): ParsedItem[] =>
  actions.map((action, i) => ({ key: `action:${i}`, name: action.type, span: action.span, ...wordsOf(action) }));

/** The command, and all that is asked for where that is more. */
function wordsOf({ payload }: JsonAction): Pick<ParsedItem, "subject" | "about"> {
  try {
    const read = JSON.parse(payload) as unknown;
    if (typeof read !== "object" || read === null || !("command" in read) || typeof read.command !== "string") return { subject: "", about: payload };
    return { subject: read.command, about: Object.keys(read).length > 1 ? payload : "action" };
  } catch {
    // An agent wrote it: it need be no JSON.
    return { subject: "", about: payload };
  }
}
