/** A turn's waterfall so small that it fits into a row of a list. */
import type { Lane, TurnSummary } from "../../../generated/wire";

export const WIDTH = 120;
export const HEIGHT = 16;
/** A stroke shorter than this would not be seen. */
const SHORTEST = 1.5;
/** How high a stroke is. */
const THICK = 3;

/** What is drawn, from top to bottom: lanes that one tells apart by their height, not only by their colour. */
export const tracks = ["run", "work", "held", "delivery", "error"] as const;
export type Track = (typeof tracks)[number];

const TRACK: Readonly<Record<Lane, Exclude<Track, "error">>> = {
  inbound: "run", agent: "run", thinking: "work", tools: "work", directives: "work", held: "held", delivery: "delivery",
};
const TOP: Readonly<Record<Exclude<Track, "error">, number>> = { run: 1, work: 5, held: 9, delivery: 13 };

/** Where a sketch is drawn: so many px wide, of which `scale` are one of `HEIGHT`. */
export interface SketchBox {
  readonly width: number;
  readonly scale: number;
}

/** What draws a sketch. */
export type Pen = Pick<CanvasRenderingContext2D, "clearRect" | "fillRect" | "fillStyle">;

/**
 * Draws the strokes of a turn, in place of what is there. On a canvas: of the lists of turns that go on, each row is drawn
 * anew in every frame, and paths of a picture within the page are laid out and stroked, at three times the cost.
 */
export function drawSketch(pen: Pen, { strokes, took_ms }: Pick<TurnSummary, "strokes" | "took_ms">, box: SketchBox, colours: Readonly<Record<Track, string>>): void {
  const { width, scale } = box;
  pen.clearRect(0, 0, width, HEIGHT * scale);
  const perMs = width / Math.max(1, took_ms);
  const shortest = SHORTEST * scale;
  for (const { lane, from_ms, until_ms, error } of strokes) {
    const track = TRACK[lane];
    const from = Math.min(from_ms * perMs, width - shortest);
    const until = Math.min(width, Math.max(until_ms * perMs, from + shortest));
    pen.fillStyle = colours[error ? "error" : track];
    pen.fillRect(from, TOP[track] * scale, until - from, THICK * scale);
  }
}

/** The lanes in words: which of them were busy, and which failed. */
export function told({ strokes }: Pick<TurnSummary, "strokes">): string {
  const lanes = [...new Set(strokes.map(({ lane }) => lane))];
  const failed = new Set(strokes.filter(({ error }) => error).map(({ lane }) => lane));
  return lanes.map((lane) => (failed.has(lane) ? `${lane} (failed)` : lane)).join(", ");
}
