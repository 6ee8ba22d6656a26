/** Where the columns of a grid stand, as `grid-template-columns` would lay them out. */
import type { Column } from "./column";
import type { Place } from "./rowLayer";

/** Px at 100 % zoom: of one rem, before the first and after the last column, and between two. */
const REM = 10;
export const GAP = 12;

const rem = (width: string): number => Number(/^(?:minmax\()?([\d.]+)rem/.exec(width)?.[1] ?? 0) * REM;
/** The part that a column takes of what is left; 0 for one of a fixed width. */
const part = (width: string): number => Number(/([\d.]+)fr/.exec(width)?.[1] ?? 0);

/**
 * The places of columns in a row that is `room` wide with `pad` at both sides; all in px, `zoom` as a share of 1, `gap` at
 * 100 %. Widths are `Nrem` or `minmax(Nrem, Mfr)`: what is left is shared by the latter.
 */
export function placesOf(columns: readonly Column[], room: number, pad: number, zoom: number, gap = GAP): Place[] {
  const least = columns.map(({ width }) => rem(width) * zoom);
  const parts = columns.map(({ width }) => part(width));
  const free = room - 2 * pad - (columns.length - 1) * gap * zoom;
  /** Px for a part of 1. A column that is wider at its least than its part takes no part, so that the others have less to share. */
  const shareOf = (taking: readonly number[]): number => {
    const fixed = least.reduce((sum, width, at) => sum + (taking[at] === 0 ? width : 0), 0);
    const share = (free - fixed) / (taking.reduce((sum, own) => sum + own, 0) || 1);
    const left = taking.map((own, at) => (own > 0 && own * share < (least[at] ?? 0) ? 0 : own));
    return left.some((own, at) => own !== taking[at]) ? shareOf(left) : share;
  };
  const share = shareOf(parts);
  let left = pad;
  return columns.map((_, at) => {
    const own = Math.max(least[at] ?? 0, (parts[at] ?? 0) * share);
    const place = { left, width: own };
    left += own + gap * zoom;
    return place;
  });
}
