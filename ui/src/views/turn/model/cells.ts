/** The hold map: what became of every byte, as runs, and as pixels where there are more runs than pixels. */
import type { Hold, HoldReason, Range, RangeReason, Span } from "../../../generated/wire";

/**
 * What became of a byte. `open`: it came, and no event says yet what becomes of it; `ahead`: it has not come.
 */
export type CellFate = "show" | "strip" | "drop" | "held" | "leak" | "open" | "ahead";

/** A run of bytes with one fate and one reason. */
export interface Cell {
  start: number;
  end: number;
  fate: CellFate;
  reason: RangeReason | HoldReason | null;
}

/** What the map is drawn from: a message at a moment. */
export interface MapState {
  /** Bytes of the whole message, as far as known. */
  total: number;
  /** Bytes that had come. */
  came: number;
  ranges: readonly Range[];
  hold: Hold | null;
  /** Bytes of directives that reached a channel. */
  leaks?: readonly Span[];
}

function push(cells: Cell[], start: number, end: number, fate: CellFate, reason: Cell["reason"]): void {
  if (end <= start) return;
  const last = cells[cells.length - 1];
  if (last !== undefined && last.end === start && last.fate === fate && last.reason === reason) last.end = end;
  else cells.push({ start, end, fate, reason });
}

/** A partition of `0..total`: decided ranges, what is held, what is open, what has not come. */
export function cellsOf({ total, came, ranges, hold, leaks = [] }: MapState): Cell[] {
  const cells: Cell[] = [];
  let at = 0;
  const gapTo = (to: number): void => {
    if (hold !== null) {
      const [from, until] = hold.span;
      const start = Math.max(at, from);
      const end = Math.min(to, until, came);
      if (start < end) {
        push(cells, at, start, "open", null);
        push(cells, start, end, "held", hold.reason);
        at = end;
      }
    }
    push(cells, at, Math.min(to, came), "open", null);
    push(cells, Math.max(at, came), to, "ahead", null);
    at = Math.max(at, to);
  };
  for (const range of ranges) {
    const [start, end] = range.span;
    if (start > at) gapTo(start);
    push(cells, Math.max(at, start), end, range.fate, range.reason);
    at = Math.max(at, end);
  }
  gapTo(Math.max(total, came));
  return leaks.length === 0 ? cells : overlay(cells, leaks);
}

/** Leaked bytes are red whatever the scanner said of them. */
function overlay(cells: readonly Cell[], leaks: readonly Span[]): Cell[] {
  const sorted = [...leaks].sort((a, b) => a[0] - b[0]);
  const result: Cell[] = [];
  for (const cell of cells) {
    let at = cell.start;
    for (const [start, end] of sorted) {
      const from = Math.max(at, start);
      const to = Math.min(cell.end, end);
      if (from >= to) continue;
      push(result, at, from, cell.fate, cell.reason);
      push(result, from, to, "leak", cell.reason);
      at = to;
    }
    push(result, at, cell.end, cell.fate, cell.reason);
  }
  return result;
}

/** The cell that holds a byte. */
export function cellAt(cells: readonly Cell[], byte: number): Cell | null {
  let low = 0;
  let high = cells.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const cell = cells[middle];
    if (cell === undefined) return null;
    if (byte < cell.start) high = middle - 1;
    else if (byte >= cell.end) low = middle + 1;
    else return cell;
  }
  return null;
}

/** A run of pixels with one fate and one reason. */
export interface Band {
  x: number;
  width: number;
  start: number;
  end: number;
  fate: CellFate;
  reason: Cell["reason"];
}

/** What must not vanish when a pixel stands for many bytes, the most telling last. */
const WEIGHT: Record<CellFate, number> = { ahead: 0, show: 1, open: 2, strip: 3, drop: 4, held: 5, leak: 6 };

/**
 * Lays cells out over whole pixels. Where several fall on one pixel the most telling one takes it: one held
 * byte in a megabyte stays visible. O(cells + pixels).
 */
export function bandsOf(cells: readonly Cell[], width: number): Band[] {
  const total = cells[cells.length - 1]?.end ?? 0;
  const pixels = Math.max(1, Math.floor(width));
  if (total === 0) return [];
  const owners: (Cell | undefined)[] = new Array<Cell | undefined>(pixels).fill(undefined);
  for (const cell of cells) {
    const from = Math.min(pixels - 1, Math.round((cell.start / total) * pixels));
    const to = Math.max(from + 1, Math.round((cell.end / total) * pixels));
    for (let x = from; x < to; x++) {
      const owner = owners[x];
      if (owner === undefined || WEIGHT[cell.fate] > WEIGHT[owner.fate]) owners[x] = cell;
    }
  }
  const bands: Band[] = [];
  for (let x = 0; x < pixels; x++) {
    const owner = owners[x];
    if (owner === undefined) continue;
    const last = bands[bands.length - 1];
    if (last !== undefined && last.fate === owner.fate && last.reason === owner.reason) {
      last.width += 1;
      last.end = owner.end;
    } else {
      bands.push({ x, width: 1, start: owner.start, end: owner.end, fate: owner.fate, reason: owner.reason });
    }
  }
  return bands;
}

/** How many bytes met which fate, for the heading. */
export function tally(cells: readonly Cell[]): Record<CellFate, number> {
  const sums: Record<CellFate, number> = { show: 0, strip: 0, drop: 0, held: 0, leak: 0, open: 0, ahead: 0 };
  for (const cell of cells) sums[cell.fate] += cell.end - cell.start;
  return sums;
}

/** Words of a fate, as tooltips, legends and screen readers say them. */
export const FATE_WORDS: Record<CellFate, string> = {
  show: "shown",
  strip: "stripped",
  drop: "dropped",
  held: "held",
  leak: "leaked",
  open: "not decided",
  ahead: "not yet come",
};
