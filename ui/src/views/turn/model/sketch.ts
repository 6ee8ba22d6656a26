/** A turn's waterfall so small that it fits into a row of a list. */
import type { Lane, LaneStroke, TurnSummary } from "../../../generated/wire";

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
  inbound: "run", agent: "run", thinking: "work", tools: "work", permission: "work", actions: "work", directives: "work", held: "held", delivery: "delivery",
};
const TOP: Readonly<Record<Exclude<Track, "error">, number>> = { run: 1, work: 5, held: 9, delivery: 13 };

/** Where a sketch is drawn: so many px wide, of which `scale` are one of `HEIGHT`. */
export interface SketchBox {
  readonly width: number;
  readonly scale: number;
}

/** What draws a sketch. */
export type Pen = Pick<CanvasRenderingContext2D, "clearRect" | "fillRect" | "fillStyle">;

/** What a sketch shows of a turn. */
type Sketched = Pick<TurnSummary, "turn" | "terminal" | "strokes" | "took_ms">;

/**
 * Draws the strokes of a turn, in place of what is there. On a canvas: of the lists of turns that go on, each row is drawn
 * anew in every frame, and paths of a picture within the page are laid out and stroked, at three times the cost.
 */
export function drawSketch(pen: Pen, { strokes, took_ms }: Sketched, box: SketchBox, colours: Readonly<Record<Track, string>>): void {
  const { width, scale } = box;
  pen.clearRect(0, 0, width, HEIGHT * scale);
  const perMs = width / Math.max(1, took_ms);
  const shortest = SHORTEST * scale;
  for (const { lane, sound, failed } of strokes) {
    const track = TRACK[lane];
    const top = TOP[track] * scale;
    const draw = ([from_ms, until_ms]: LaneStroke): void => {
      const from = Math.min(from_ms * perMs, width - shortest);
      pen.fillRect(from, top, Math.min(width, Math.max(until_ms * perMs, from + shortest)) - from, THICK * scale);
    };
    pen.fillStyle = colours[track];
    sound.forEach(draw);
    if (failed.length === 0) continue;
    pen.fillStyle = colours.error;
    failed.forEach(draw);
  }
}

/**
 * Ms between two drawings of a turn that goes on. In that time its picture moves by a tenth of itself at most, once it is a
 * second old. The pictures of all rows are drawn at the same moments: what changes in a row here and there has the engine
 * paint the whole list, and at ten such moments a second that is a fifth of a core instead of all that is left.
 */
export const REDRAW_MS = 100;

type Painted = Parameters<typeof drawSketch>;

/** What draws the turns of one row, one after the other, on its canvas. */
export class SketchPainter {
  #last: Painted | null = null;
  #later: ReturnType<typeof setTimeout> | undefined;

  /** Draws a turn: at once, or, where it goes on, at the next moment at which all are drawn that do. */
  paint(...next: Painted): void {
    clearTimeout(this.#later);
    if (this.#last === null || !goesOn(this.#last, next)) return this.#draw(next);
    this.#later = setTimeout(() => this.#draw(next), REDRAW_MS - (performance.now() % REDRAW_MS));
  }

  /** Draws nothing more. */
  close(): void {
    clearTimeout(this.#later);
  }

  #draw(next: Painted): void {
    drawSketch(...next);
    this.#last = next;
  }
}

/** Whether a picture shows the same turn on the same canvas, and there will be a later one. */
function goesOn([pen, turn, box, colours]: Painted, next: Painted): boolean {
  const isSamePlace = pen === next[0] && box.width === next[2].width && box.scale === next[2].scale && colours === next[3];
  return isSamePlace && turn.turn === next[1].turn && next[1].terminal === null;
}

/** The lanes in words: which of them were busy, and which failed. */
export function told({ strokes }: Pick<TurnSummary, "strokes">): string {
  return strokes.map(({ lane, failed }) => (failed.length > 0 ? `${lane} (failed)` : lane)).join(", ");
}
