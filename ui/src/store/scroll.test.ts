import { describe, expect, it } from "vitest";
import { CAP, isScaled, maxTop, scrollHeight, stepped, topShowing, toScrollTop, toTop, visibleRows, type Geometry } from "./scroll";

const small: Geometry = { rows: 1000, rowHeight: 24, viewport: 600 };
const million: Geometry = { rows: 1_000_000, rowHeight: 24, viewport: 600 };

describe("a range that a browser can lay out", () => {
  it("is left as it is", () => {
    expect(isScaled(small)).toBe(false);
    expect(scrollHeight(small)).toBe(24_000);
    expect(toTop(small, 480)).toBe(480);
  });
});

describe("a million rows", () => {
  it("fit into the cap", () => {
    expect(isScaled(million)).toBe(true);
    expect(scrollHeight(million)).toBe(CAP);
  });

  it("reach from the first to the last row", () => {
    expect(visibleRows(million, toTop(million, 0)).first).toBe(0);
    const end = visibleRows(million, toTop(million, CAP - million.viewport));
    expect(end.first + end.count).toBe(1_000_000);
  });

  it("keep their place when the scrollbar is set to it", () => {
    for (const top of [0, 24, 12_345_678, maxTop(million)]) expect(toTop(million, toScrollTop(million, top))).toBeCloseTo(top, 3);
  });
});

describe("a scrollbar beside rows that grow", () => {
  it("is a little longer than they are, and not there while everything fits", () => {
    expect(stepped({ ...small, rows: 25 }).rows).toBe(25);
    for (let rows = 26; rows < 300_000; rows = Math.ceil(rows * 1.07)) {
      const { rows: shown } = stepped({ ...small, rows });
      expect(shown).toBeGreaterThanOrEqual(rows);
      expect(shown).toBeLessThanOrEqual(rows * 1.125 + 1);
    }
  });

  it("changes about a hundred times, not half a million, while they grow to half a million", () => {
    const heights = new Set<number>();
    for (let rows = 0; rows < 500_000; rows += 1) heights.add(scrollHeight(stepped({ ...small, rows })));
    // 26 heights before there is anything to scroll, then eight for every doubling up to the cap.
    expect(heights.size).toBeLessThanOrEqual(26 + 8 * 14);
  });
});

describe("visible rows", () => {
  it("begin with the one that is partly scrolled out", () => {
    expect(visibleRows(small, 50)).toEqual({ first: 2, count: 26, shift: 2 });
  });

  it("are never more than there are", () => {
    expect(visibleRows({ ...small, rows: 3 }, 0)).toEqual({ first: 0, count: 3, shift: 0 });
    expect(visibleRows({ ...small, rows: 0 }, 0).count).toBe(0);
  });
});

it("moves just far enough to show a row", () => {
  expect(topShowing(small, 240, 9)).toBe(216);
  expect(topShowing(small, 240, 12)).toBe(240);
  expect(topShowing(small, 240, 40)).toBe(41 * 24 - 600);
});
