import { afterEach, expect, it, vi } from "vitest";
import type { LaneStroke, LaneStrokes } from "../../../generated/wire";
import { drawSketch, HEIGHT, REDRAW_MS, SketchPainter, told, type Pen } from "./sketch";

const stroke = (lane: LaneStrokes["lane"], from_ms: number, until_ms: number, error = false): LaneStrokes => {
  const strokes: LaneStroke[] = [[from_ms, until_ms]];
  return { lane, sound: error ? [] : strokes, failed: error ? strokes : [] };
};
const colours = { run: "run", work: "work", held: "held", delivery: "delivery", error: "error" };

/** The rectangles that are drawn of some strokes: colour, left, top, width and height. */
function drawn(strokes: LaneStrokes[], took_ms: number, box = { width: 120, scale: 1 }): unknown[] {
  const rectangles: unknown[] = [];
  const pen: Pen = {
    fillStyle: "",
    clearRect: (...place) => rectangles.push(["", ...place]),
    fillRect: (...place) => rectangles.push([pen.fillStyle, ...place]),
  };
  drawSketch(pen, { turn: 1, terminal: null, strokes, took_ms }, box, colours);
  return rectangles;
}

it("draws each lane at its height over the turn's time, and what failed in a colour of its own", () => {
  const strokes = [stroke("agent", 0, 500), stroke("held", 250, 500), stroke("delivery", 500, 1000, true)];
  expect(drawn(strokes, 1000)).toEqual([["", 0, 0, 120, 16], ["run", 0, 1, 60, 3], ["held", 30, 9, 30, 3], ["error", 60, 13, 60, 3]]);
  expect(drawn([stroke("held", 250, 500)], 1000, { width: 400, scale: 2 })).toEqual([["", 0, 0, 400, 32], ["held", 100, 18, 100, 6]]);
  expect(told({ strokes })).toBe("agent, held, delivery (failed)");
});

it("shows what was too short to be seen, also at the very end and of a turn that took no time", () => {
  expect(drawn([stroke("held", 1000, 1000)], 1000)[1]).toEqual(["held", 118.5, 9, 1.5, 3]);
  expect(drawn([stroke("inbound", 0, 0)], 0)[1]).toEqual(["run", 0, 1, 1.5, 3]);
  expect(HEIGHT).toBeGreaterThan(14);
});

afterEach(() => void vi.useRealTimers());

it("draws a turn that goes on now and then, its end and another turn at once", () => {
  vi.useFakeTimers();
  let drawings = 0;
  const pen: Pen = { fillStyle: "", clearRect: () => void (drawings += 1), fillRect: () => undefined };
  const painter = new SketchPainter();
  const [narrow, wide] = [{ width: 120, scale: 1 }, { width: 200, scale: 1 }];
  const paint = (turn: number, took_ms: number, ended = false, box = narrow): void =>
    painter.paint(pen, { turn, terminal: ended ? { state: "replied" } : null, strokes: [], took_ms }, box, colours);
  vi.advanceTimersByTime(30);
  for (let took = 0; took < 5; took += 1) paint(1, took);
  expect(drawings).toBe(1);
  vi.advanceTimersByTime(REDRAW_MS - 31);
  expect(drawings).toBe(1);
  vi.advanceTimersByTime(1);
  expect(drawings).toBe(2);
  paint(1, 9, true);
  paint(2, 0);
  paint(2, 1, false, wide);
  expect(drawings).toBe(5);
  paint(2, 2, false, wide);
  painter.close();
  vi.advanceTimersByTime(REDRAW_MS);
  expect(drawings).toBe(5);
});
