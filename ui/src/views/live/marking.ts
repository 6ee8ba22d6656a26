/** Marks rows of Live for an export, and says of every row that cannot be marked why. */
import type { TurnId } from "../../generated/wire";
import type { Console } from "../../state/console.svelte";
import { count, plural } from "../../store/format";

/** The turn of a row: null where its event belongs to none, undefined where the page has not got the row. */
type TurnAt = (index: number) => TurnId | null | undefined;

/** Marks the turns of several rows, or turns the mark of one row over. */
export function markRows(console: Console, rows: readonly number[], turnAt: TurnAt): void {
  const { marks } = console;
  const found = rows.map(turnAt);
  const turns = found.filter((turn) => turn !== null && turn !== undefined);
  const [only] = turns;
  if (only === undefined) {
    if (found.includes(null)) console.toast("info", "This event belongs to no turn, and only turns can be exported.");
    return;
  }
  const marked = rows.length === 1 ? marks.toggle(only) : (marks.add(turns), true);
  const what = rows.length === 1 ? `Turn #${only}` : plural(new Set(turns).size, "turn");
  console.announce(`${what} ${marked ? "marked" : "unmarked"}, ${count(marks.turns.size)} in all.`);
  const absent = found.filter((turn) => turn === undefined).length;
  if (absent > 0) console.toast("warn", `${plural(absent, "row")} between ${absent === 1 ? "is" : "are"} not loaded and not marked.`, "Filter the list to these turns, and export the filter.");
}
