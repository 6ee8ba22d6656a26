import { expect, it } from "vitest";
import type { LaneStroke } from "../../../generated/wire";
import { drawSketch, HEIGHT, told, type Pen } from "./sketch";

const stroke = (lane: LaneStroke["lane"], from_ms: number, until_ms: number, error = false): LaneStroke => ({ lane, from_ms, until_ms, error });
const colours = { run: "run", work: "work", held: "held", delivery: "delivery", error: "error" };

/** The rectangles that are drawn of some strokes: colour, left, top, width and height. */
function drawn(strokes: LaneStroke[], took_ms: number, box = { width: 120, scale: 1 }): unknown[] {
  const rectangles: unknown[] = [];
  const pen: Pen = {
    fillStyle: "",
    clearRect: (...place) => rectangles.push(["", ...place]),
    fillRect: (...place) => rectangles.push([pen.fillStyle, ...place]),
  };
  drawSketch(pen, { strokes, took_ms }, box, colours);
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
