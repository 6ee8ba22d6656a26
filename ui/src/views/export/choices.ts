import type { ExportScope, TurnId } from "../../generated/wire";
import { count } from "../../store/format";

/** Something that can be exported, as the dialog offers it. */
export interface ExportChoice {
  readonly id: string;
  readonly title: string;
  /** Its turns; null where a person writes their numbers. */
  readonly scope: ExportScope | null;
  /** The numbers that are written already. */
  readonly numbers?: string;
}

/** The turns of a choice; null as long as no number of a turn is written. */
export function scopeOf(choice: ExportChoice, numbers: string): ExportScope | null {
  if (choice.scope !== null) return choice.scope;
  const words = numbers.split(/[\s,;]+/).filter((word) => word !== "").map((word) => word.replace(/^#/, ""));
  if (words.length === 0 || words.some((word) => !/^\d{1,15}$/.test(word))) return null;
  return { of: "turns", turns: words.map(Number) };
}

/** What can be exported of a turn that is open. */
export function choicesOfTurn(turn: number, session: string | null): readonly ExportChoice[] {
  return [
    { id: "turn", title: `Turn #${turn}`, scope: { of: "turns", turns: [turn] } },
    { id: "turns", title: "Several turns", scope: null, numbers: String(turn) },
    ...(session === null ? [] : [{ id: "session", title: "Its session", scope: { of: "session" as const, session } }]),
  ];
}

/** What can be exported in Live: the turns under its filter, and those that a person marked; first what was asked for. */
export function choicesOfLive(filter: string, marked: readonly TurnId[], asked: "filter" | "marks"): readonly ExportChoice[] {
  const title = filter.trim() === "" ? "All turns" : "Turns of this filter";
  const filtered: ExportChoice = { id: "filter", title, scope: { of: "filter", filter } };
  const numbers = marked.join(", ");
  if (marked.length === 0) return [filtered, { id: "turns", title: "Several turns", scope: null }];
  const chosen: ExportChoice = { id: "marks", title: marked.length === 1 ? `Marked turn #${numbers}` : `${count(marked.length)} marked turns`, scope: { of: "turns", turns: [...marked] } };
  const both = asked === "marks" ? [chosen, filtered] : [filtered, chosen];
  return [...both, { id: "turns", title: "Several turns", scope: null, numbers }];
}
