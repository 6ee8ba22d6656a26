/** One row of raw text as runs with the same fate, ready to be drawn. */
import type { Span } from "../../../generated/wire";
import type { ByteText } from "../../../store/text";
import { FATE_WORDS, type Cell, type CellFate } from "./cells";
import { pieces, type Piece } from "../../../store/glyphs";

export interface Segment {
  start: number;
  end: number;
  fate: CellFate;
  reason: Cell["reason"];
  pieces: Piece[];
}

/** Index of the first cell that ends after `byte`. */
function firstCell(cells: readonly Cell[], byte: number): number {
  let low = 0;
  let high = cells.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cells[middle]?.end ?? 0) <= byte) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The runs of the bytes of one row, in order, cut where `cuts` says as well, so that part of a run can be marked.
 * O(log cells + row + cuts).
 */
export function segmentsOf(raw: ByteText, cells: readonly Cell[], [start, end]: Span, cuts: readonly number[] = []): Segment[] {
  const found: Segment[] = [];
  const inside = cuts.filter((cut) => cut > start && cut < end).sort((a, b) => a - b);
  let at = start;
  for (let i = firstCell(cells, start); i < cells.length && at < end; i++) {
    const cell = cells[i];
    if (cell === undefined) break;
    const until = Math.min(end, cell.end);
    for (const cut of [...inside.filter((c) => c > at && c < until), until]) {
      if (cut <= at) continue;
      const text = raw.slice([at, cut]);
      // Markup is read closely, so its spaces matter; in prose dots between all words would only be noise.
      const spaces = cell.fate === "held" && cell.reason === "trailing_space";
      found.push({ start: at, end: cut, fate: cell.fate, reason: cell.reason, pieces: edged(text, spaces) });
      at = cut;
    }
  }
  return found;
}

/** Spaces before a line break or at the very end are shown as dots: nobody would see them otherwise. */
function edged(text: string, spaces: boolean): Piece[] {
  const edge = /[ ]+(?=\n?$)/.exec(text);
  if (spaces || edge === null || text.trim() === "") return pieces(text, spaces || text.trim() === "");
  return [...pieces(text.slice(0, edge.index)), ...pieces(text.slice(edge.index), true)];
}

/** How a screen reader names a run. */
export function spoken(segment: Pick<Segment, "fate" | "reason">): string {
  return segment.reason === null ? FATE_WORDS[segment.fate] : `${FATE_WORDS[segment.fate]}: ${segment.reason}`;
}
