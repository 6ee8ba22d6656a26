/** Where the messages of a turn lie on the hold map's strip, and which byte lies under the pointer. */

export interface Stretch {
  readonly message: number;
  readonly bytes: number;
  readonly x: number;
  readonly width: number;
}

/** Pixels between two messages. */
const GAP = 10;
/** A message of one byte can still be hit. */
const LEAST = 12;

/** Messages side by side, each as wide as it is long, none too narrow to be hit. */
export function stretchesOf(messages: readonly { message: number; bytes: number }[], width: number): Stretch[] {
  const room = Math.max(1, width - GAP * Math.max(0, messages.length - 1));
  const total = messages.reduce((sum, m) => sum + m.bytes, 0);
  const least = Math.min(LEAST, room / Math.max(1, messages.length));
  const wishes = messages.map(({ bytes }) => Math.max(least, (bytes / Math.max(1, total)) * room));
  const wished = wishes.reduce((sum, w) => sum + w, 0);
  let x = 0;
  return messages.map(({ message, bytes }, i) => {
    const share = Math.max(1, Math.round(((wishes[i] ?? 0) / Math.max(1, wished)) * room));
    const stretch = { message, bytes, x, width: share };
    x += share + GAP;
    return stretch;
  });
}

/** The pixel at which so many bytes of a message end. */
export function xOf(stretches: readonly Stretch[], message: number, bytes: number): number {
  const stretch = stretches.find((s) => s.message === message);
  if (stretch === undefined) return 0;
  return stretch.x + (stretch.bytes === 0 ? 0 : (Math.min(bytes, stretch.bytes) / stretch.bytes) * stretch.width);
}

/** Message and byte under a pixel; the nearest where it lies between two. */
export function byteAt(stretches: readonly Stretch[], x: number): { message: number; byte: number } | null {
  const stretch = stretches.findLast((s) => s.x <= x) ?? stretches[0];
  if (stretch === undefined) return null;
  const share = Math.min(1, Math.max(0, (x - stretch.x) / stretch.width));
  return { message: stretch.message, byte: Math.round(share * stretch.bytes) };
}

/** A word under the strip. */
export interface Label {
  readonly text: string;
  /** Its middle. */
  readonly x: number;
}

/** Width of a character of the labels in pixels; an estimate is enough, for they keep their distance. */
const CHARACTER = 6.2;
const DISTANCE = 14;

/**
 * Those labels that fit beside each other, the widest bands first; of several words for a band the first that fits.
 * Middles are kept inside the strip.
 */
export function labelsOf(bands: readonly { x: number; width: number; words: readonly string[] }[], width: number): Label[] {
  const taken: { from: number; to: number; label: Label }[] = [];
  for (const { x, width: room, words } of [...bands].sort((a, b) => b.width - a.width)) {
    for (const text of words) {
      const half = (text.length * CHARACTER) / 2;
      const middle = Math.min(width - half, Math.max(half, x + room / 2));
      const from = middle - half - DISTANCE / 2;
      const to = middle + half + DISTANCE / 2;
      // A label that had to move off its own band would name its neighbour.
      if (half * 2 > width || middle < x || middle > x + room) continue;
      if (taken.some((t) => from < t.to && t.from < to)) continue;
      taken.push({ from, to, label: { text, x: middle } });
      break;
    }
  }
  return taken.sort((a, b) => a.from - b.from).map((t) => t.label);
}
