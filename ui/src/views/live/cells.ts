/** The cells of one event. A gap is a row of its own: what a view could not keep up with is never silent. */
import "../../generated/platforms.css";
import "./cells.css";
import { rowFlags } from "../../generated/closed";
import type { EventRow, RowFlag } from "../../generated/wire";
import type { Column } from "../../parts/column";
import type { DrawnCell } from "../../parts/drawnCell";
import type { DrawnRow } from "../../parts/rowLayer";
import { bytes, duration, offset, time, words } from "../../store/format";
import { unpictured } from "../../store/glyphs";

const short: Record<RowFlag, string> = {
  error: "error", warning: "warn", held: "held", leaked: "LEAK", refused: "refused", live: "LIVE", dry_run: "dry", replayed: "replay",
};
const abouts = new Map<RowFlag, string>(rowFlags.map(({ code, about }) => [code, about]));
/** Flags that mark the edge of a row, the gravest first. */
const marks: readonly RowFlag[] = ["leaked", "error", "held", "warning"];

/** Draws one column of an event; times as the difference from `since`, where it is given. */
type Draw = (row: EventRow, since: string | null, platform: string | null) => DrawnCell;

const none: DrawnCell = { text: "", look: "" };
const draws: Readonly<Record<string, Draw>> = {
  time: ({ at }, since) => (since === null ? { text: time(at), look: "mono dim" } : { text: offset(Date.parse(at) - Date.parse(since)), look: "mono dim end" }),
  turn: ({ turn }) => ({ text: turn === null ? "" : `#${turn}`, look: "mono muted end" }),
  channel: ({ channel }, _, platform) =>
    channel === null ? { text: "", look: "channel" } : { text: channel, look: `channel tinted of-${platform ?? "none"}`, isTinted: true },
  session: ({ session }) => ({ text: session ?? "", look: "dim words" }),
  stage: ({ stage }) => ({ text: words(stage), look: "dim words" }),
  kind: ({ kind }) => ({ text: kind, look: "mono kind" }),
  summary: ({ summary, kind }) => ({ text: unpictured(summary), look: kind === "chunk" ? "mono" : "words", marked: true }),
  size: ({ bytes: size }) => ({ text: size === null ? "" : bytes(size), look: "mono dim end" }),
  duration: ({ lasted_ms: lasted }) => ({ text: lasted === null ? "" : duration(lasted), look: "mono dim end" }),
  flags: ({ flags }) => flagCell(flags),
};

/** One flag, as most rows have at most, is the text of its cell. */
function flagCell([first, ...others]: readonly RowFlag[]): DrawnCell {
  if (first === undefined) return { text: "", look: "flags" };
  if (others.length === 0) return { text: short[first], look: `flags flag ${first}`, title: abouts.get(first) ?? first };
  return { text: "", look: "flags", badges: [first, ...others].map((flag) => ({ text: short[flag], look: `flag ${flag}`, title: abouts.get(flag) ?? flag })) };
}

/** An event as a row of these columns; `platform` is that of its channel, and its turn may be marked. */
export function rowOf(row: EventRow, columns: readonly Column[], since: string | null, platform: string | null, isMarked: boolean): DrawnRow {
  if (row.gap !== null) return { look: "", cells: [{ text: `${row.summary}. The journal has them all.`, look: "gap" }] };
  const mark = marks.find((flag) => row.flags.includes(flag));
  return { look: mark === undefined ? "" : `is-${mark}`, isMarked, cells: columns.map(({ id }) => draws[id]?.(row, since, platform) ?? none) };
}
