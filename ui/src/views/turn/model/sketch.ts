/** A turn's waterfall so small that it fits into a row of a list. */
import type { Lane, TurnSummary } from "../../../generated/wire";

export const WIDTH = 120;
export const HEIGHT = 16;
/** A stroke shorter than this would not be seen. */
const SHORTEST = 1.5;

/** What is drawn, from top to bottom: lanes that one tells apart by their height, not only by their colour. */
export const tracks = ["run", "work", "held", "delivery", "error"] as const;
export type Track = (typeof tracks)[number];

const TRACK: Readonly<Record<Lane, Exclude<Track, "error">>> = {
  inbound: "run", agent: "run", thinking: "work", tools: "work", directives: "work", held: "held", delivery: "delivery",
};
const MIDDLE: Readonly<Record<Exclude<Track, "error">, number>> = { run: 2, work: 6, held: 10, delivery: 14 };

/** One path a track, in a box of `WIDTH` by `HEIGHT`: few elements, and always the same ones. */
export function sketch({ strokes, took_ms }: Pick<TurnSummary, "strokes" | "took_ms">): Readonly<Record<Track, string>> {
  const paths: Record<Track, string> = { run: "", work: "", held: "", delivery: "", error: "" };
  const scale = WIDTH / Math.max(1, took_ms);
  for (const { lane, from_ms, until_ms, error } of strokes) {
    const track = TRACK[lane];
    const from = Math.min(from_ms * scale, WIDTH - SHORTEST);
    const until = Math.min(WIDTH, Math.max(until_ms * scale, from + SHORTEST));
    paths[error ? "error" : track] += `M${round(from)} ${MIDDLE[track]}H${round(until)}`;
  }
  return paths;
}

const round = (x: number): number => Math.round(x * 10) / 10;

/** The lanes in words: which of them were busy, and which failed. */
export function told({ strokes }: Pick<TurnSummary, "strokes">): string {
  const lanes = [...new Set(strokes.map(({ lane }) => lane))];
  const failed = new Set(strokes.filter(({ error }) => error).map(({ lane }) => lane));
  return lanes.map((lane) => (failed.has(lane) ? `${lane} (failed)` : lane)).join(", ");
}
