import type { ExportScope } from "../../generated/wire";

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

/** What can be exported under a filter. */
export function choicesOfFilter(filter: string): readonly ExportChoice[] {
  const title = filter.trim() === "" ? "All turns" : "Turns of this filter";
  return [
    { id: "filter", title, scope: { of: "filter", filter } },
    { id: "turns", title: "Several turns", scope: null },
  ];
}
