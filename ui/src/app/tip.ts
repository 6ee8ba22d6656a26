/** Where a tip goes: beside what it is about, and never over what can be pressed next to it. */

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Spot {
  readonly left: number;
  readonly top: number;
}

/** Px between a tip and what it is about, and between a tip and the window's edge. */
export const GAP = 6;

const overlap = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top));

/**
 * The place for a tip of this size: below, above, right or left of `about`, inside the window. The first of them that
 * covers none of `neighbours` is taken, else the one that covers least. `about` itself is never covered where the window
 * has room beside it.
 */
export function place({ width, height }: Pick<Box, "width" | "height">, about: Box, neighbours: readonly Box[], window: Pick<Box, "width" | "height">): Spot {
  const size = { width, height };
  const within = (value: number, length: number, room: number): number => Math.max(GAP, Math.min(value, room - length - GAP));
  const across = within(about.left + about.width / 2 - size.width / 2, size.width, window.width);
  const along = within(about.top + about.height / 2 - size.height / 2, size.height, window.height);
  const spots: readonly Spot[] = [
    { left: across, top: within(about.top + about.height + GAP, size.height, window.height) },
    { left: across, top: within(about.top - size.height - GAP, size.height, window.height) },
    { left: within(about.left + about.width + GAP, size.width, window.width), top: along },
    { left: within(about.left - size.width - GAP, size.width, window.width), top: along },
  ];
  const covered = (spot: Spot): number => [about, about, ...neighbours].reduce((sum, box) => sum + overlap({ ...spot, ...size }, box), 0);
  return spots.reduce((best, spot) => (covered(spot) < covered(best) ? spot : best));
}
