/** Where the columns of a grid stand, as `grid-template-columns` would lay them out. */
import type { Column } from "./column";
import type { Place } from "./rowLayer";

/** Px at 100 % zoom: of one rem, before the first and after the last column, and between two. */
const REM = 10;
export const GAP = 12;

const rem = (width: string): number => Number(/^(?:minmax\()?([\d.]+)rem/.exec(width)?.[1] ?? 0) * REM;
const isFlexible = (width: string): boolean => width.includes("fr");

/**
 * The places of columns in a row that is `room` wide with `pad` at both sides; all in px, `zoom` as a share of 1. Widths
 * are `Nrem` or `minmax(Nrem, 1fr)`: what is left is shared by the latter.
 */
export function placesOf(columns: readonly Column[], room: number, pad: number, zoom: number): Place[] {
  const least = columns.map(({ width }) => rem(width) * zoom);
  const flexible = columns.filter(({ width }) => isFlexible(width)).length;
  const fixed = columns.reduce((sum, { width }, at) => sum + (isFlexible(width) ? 0 : (least[at] ?? 0)), 0);
  const share = (room - 2 * pad - fixed - (columns.length - 1) * GAP * zoom) / Math.max(1, flexible);
  let left = pad;
  return columns.map(({ width }, at) => {
    const own = isFlexible(width) ? Math.max(least[at] ?? 0, share) : (least[at] ?? 0);
    const place = { left, width: own };
    left += own + GAP * zoom;
    return place;
  });
}
