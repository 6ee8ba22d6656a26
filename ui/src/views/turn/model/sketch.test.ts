import { expect, it } from "vitest";
import type { LaneStroke } from "../../../generated/wire";
import { HEIGHT, sketch, told, WIDTH } from "./sketch";

const stroke = (lane: LaneStroke["lane"], from_ms: number, until_ms: number, error = false): LaneStroke => ({ lane, from_ms, until_ms, error });

it("draws each lane at its height over the turn's time, and what failed on its own", () => {
  const strokes = [stroke("agent", 0, 500), stroke("held", 250, 500), stroke("delivery", 500, 1000, true)];
  expect(sketch({ strokes, took_ms: 1000 })).toEqual({ run: "M0 2H60", work: "", held: "M30 10H60", delivery: "", error: "M60 14H120" });
  expect(told({ strokes })).toBe("agent, held, delivery (failed)");
});

it("shows what was too short to be seen, also at the very end and of a turn that took no time", () => {
  expect(sketch({ strokes: [stroke("held", 1000, 1000)], took_ms: 1000 }).held).toBe(`M${WIDTH - 1.5} 10H${WIDTH}`);
  expect(sketch({ strokes: [stroke("inbound", 0, 0)], took_ms: 0 }).run).toBe("M0 2H1.5");
  expect(HEIGHT).toBeGreaterThan(14);
});
