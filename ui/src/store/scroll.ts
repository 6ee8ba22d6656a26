/**
 * Scroll ranges longer than a browser can lay out. WebKitGTK caps an element at 33.5 M px and Chromium at about
 * 16.7 M px; a million rows of 24 px are 24 M px. Above 8 M px the scrollbar's range is scaled, while wheel and keys
 * still move by real pixels.
 */
export const CAP = 8_000_000;

export interface Geometry {
  readonly rows: number;
  /** Height of a row in px. */
  readonly rowHeight: number;
  /** Height of the visible part in px. */
  readonly viewport: number;
}

/** Height that all rows would have. */
const full = (g: Geometry): number => g.rows * g.rowHeight;

/** Height of the scrolled element. */
export const scrollHeight = (g: Geometry): number => Math.min(full(g), CAP);

/** Whether the range is scaled. */
export const isScaled = (g: Geometry): boolean => full(g) > CAP;

/**
 * The same, a little longer, so that its height changes only by an eighth at a time: for a scrollbar beside rows that
 * grow 10,000 times a second, because every change of its range costs a composited frame.
 */
export function stepped(g: Geometry): Geometry {
  if (full(g) <= g.viewport) return g;
  const step = 2 ** Math.max(0, Math.floor(Math.log2(g.rows)) - 3);
  return { ...g, rows: Math.ceil(g.rows / step) * step };
}

/** The furthest real position. */
export const maxTop = (g: Geometry): number => Math.max(0, full(g) - g.viewport);

const ratio = (g: Geometry): number => {
  const range = scrollHeight(g) - g.viewport;
  return isScaled(g) && range > 0 ? maxTop(g) / range : 1;
};

/** Real position for a position of the scrollbar. */
export const toTop = (g: Geometry, scrollTop: number): number => Math.min(maxTop(g), Math.max(0, scrollTop * ratio(g)));

/** Position of the scrollbar for a real position. */
export const toScrollTop = (g: Geometry, top: number): number => top / ratio(g);

/** Rows that are at least partly visible at a real position, and how far the first one is scrolled out. */
export function visibleRows(g: Geometry, top: number): { first: number; count: number; shift: number } {
  const first = Math.floor(top / g.rowHeight);
  const shift = top - first * g.rowHeight;
  const count = Math.min(g.rows - first, Math.ceil((g.viewport + shift) / g.rowHeight));
  return { first, count: Math.max(0, count), shift };
}

/** The nearest real position at which a row is wholly visible. */
export function topShowing(g: Geometry, top: number, row: number): number {
  const start = row * g.rowHeight;
  const end = start + g.rowHeight;
  const shown = start < top ? start : end > top + g.viewport ? end - g.viewport : top;
  return Math.min(maxTop(g), Math.max(0, shown));
}
