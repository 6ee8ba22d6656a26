/**
 * The sheet on which rows of components stand, as those of parts/rowLayer.ts do: a row that is still shown has its node and
 * its place on the sheet, and one that comes in takes over the node of one that left.
 */

/** Rows from the top of a sheet to where the next one begins: far below what a browser can lay out. */
const LONGEST = 50_000;

export interface RowSheet {
  /** Position of the row at the top of the sheet. */
  readonly base: number;
  /** Position of the first row drawn. */
  readonly first: number;
  /** Positions of the rows drawn, from the top. */
  readonly positions: readonly number[];
  /** The node that a position has, and no other that is drawn. Another count of rows is another order of nodes. */
  readonly nodeOf: (position: number) => number;
}

/** The sheet with so many rows from a position on. */
export function sheetAt(first: number, count: number): RowSheet {
  return {
    base: Math.floor(first / LONGEST) * LONGEST,
    first,
    positions: Array.from({ length: count }, (_, slot) => first + slot),
    nodeOf: (position) => ((position % count) + count) % count,
  };
}
