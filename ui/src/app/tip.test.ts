import { expect, it } from "vitest";
import { place, type Box, type Spot } from "./tip";

const size = { width: 120, height: 24 };
const room = { width: 1440, height: 900 };
const box = (left: number, top: number, width = 36, height = 36): Box => ({ left, top, width, height });
const covers = (spot: Spot, other: Box): boolean =>
  spot.left < other.left + other.width && other.left < spot.left + size.width && spot.top < other.top + other.height && other.top < spot.top + size.height;

it("goes below, where nothing is", () => {
  expect(place(size, box(700, 10), [], room)).toEqual({ left: 658, top: 52 });
});

it("covers none of the icons in a rail, neither the next one nor the one before", () => {
  const rail = [0, 1, 2, 3, 4].map((at) => box(8, 50 + 40 * at));
  for (const icon of rail) {
    const spot = place(size, icon, rail.filter((other) => other !== icon), room);
    for (const other of rail) expect(covers(spot, other), `${JSON.stringify(spot)} over ${JSON.stringify(other)}`).toBe(false);
  }
});

it("takes the boxes as the browser gives them, whose figures are no properties of their own", () => {
  class Rect implements Box {
    readonly #box: Box;
    constructor(of: Box) {
      this.#box = of;
    }
    get left(): number {
      return this.#box.left;
    }
    get top(): number {
      return this.#box.top;
    }
    get width(): number {
      return this.#box.width;
    }
    get height(): number {
      return this.#box.height;
    }
  }
  const [icon, next] = [box(8, 50), box(8, 90)];
  const spot = place(new Rect({ ...size, left: 0, top: 0 }), new Rect(icon), [new Rect(next)], room);
  expect([covers(spot, icon), covers(spot, next)]).toEqual([false, false]);
});

it("covers none of the buttons in a row, nor those of a second row below it", () => {
  const rows = [10, 50].flatMap((top) => [600, 640, 680].map((left) => box(left, top, 36, 26)));
  for (const button of rows) {
    const spot = place(size, button, rows.filter((other) => other !== button), room);
    if (button.top === 50) for (const other of rows) expect(covers(spot, other)).toBe(false);
    expect(covers(spot, button)).toBe(false);
  }
});

it("stays in the window", () => {
  for (const about of [box(1400, 860), box(0, 0), box(1400, 2)]) {
    const { left, top } = place(size, about, [], room);
    expect(left).toBeGreaterThanOrEqual(0);
    expect(left + size.width).toBeLessThanOrEqual(room.width);
    expect(top).toBeGreaterThanOrEqual(0);
    expect(top + size.height).toBeLessThanOrEqual(room.height);
  }
});
