import { describe, expect, it } from "vitest";
import type { Hold, Range } from "../../../generated/wire";
import { bandsOf, cellAt, cellsOf, tally } from "./cells";

const hold = (start: number, end: number): Hold => ({
  span: [start, end],
  reason: "partial_tag",
  rule: "G3.partial",
  because: "",
  releases: "",
});
const range = (start: number, end: number, fate: Range["fate"], reason: Range["reason"] = null): Range => ({ span: [start, end], fate, reason });

describe("cells", () => {
  it("are a partition: decided, held, open, ahead", () => {
    const cells = cellsOf({ total: 30, came: 20, ranges: [range(0, 5, "strip", "header"), range(5, 10, "show")], hold: hold(12, 18) });
    expect(cells.map((c) => [c.start, c.end, c.fate, c.reason])).toEqual([
      [0, 5, "strip", "header"],
      [5, 10, "show", null],
      [10, 12, "open", null],
      [12, 18, "held", "partial_tag"],
      [18, 20, "open", null],
      [20, 30, "ahead", null],
    ]);
  });

  it("merge neighbours with the same fate and reason, and only those", () => {
    const cells = cellsOf({
      total: 9,
      came: 9,
      ranges: [range(0, 3, "show"), range(3, 6, "show"), range(6, 8, "strip", "header"), range(8, 9, "strip", "guard")],
      hold: null,
    });
    expect(cells.map((c) => [c.start, c.end])).toEqual([
      [0, 6],
      [6, 8],
      [8, 9],
    ]);
  });

  it("hold between two decided ranges", () => {
    const cells = cellsOf({ total: 10, came: 10, ranges: [range(0, 2, "show"), range(6, 10, "strip", "marker")], hold: hold(2, 6) });
    expect(cells.map((c) => c.fate)).toEqual(["show", "held", "strip"]);
  });

  it("nothing came yet", () => {
    expect(cellsOf({ total: 7, came: 0, ranges: [], hold: null })).toEqual([{ start: 0, end: 7, fate: "ahead", reason: null }]);
    expect(cellsOf({ total: 0, came: 0, ranges: [], hold: null })).toEqual([]);
  });

  it("a leak is red over any fate", () => {
    const cells = cellsOf({ total: 10, came: 10, ranges: [range(0, 10, "strip", "actions_block")], hold: null, leaks: [[4, 6]] });
    expect(cells.map((c) => [c.start, c.end, c.fate])).toEqual([
      [0, 4, "strip"],
      [4, 6, "leak"],
      [6, 10, "strip"],
    ]);
  });

  it("find the cell of a byte", () => {
    const cells = cellsOf({ total: 10, came: 6, ranges: [range(0, 6, "show")], hold: null });
    expect(cellAt(cells, 5)?.fate).toBe("show");
    expect(cellAt(cells, 6)?.fate).toBe("ahead");
    expect(cellAt(cells, 10)).toBeNull();
  });

  it("count bytes by fate", () => {
    const cells = cellsOf({ total: 10, came: 6, ranges: [range(0, 2, "strip", "header")], hold: hold(2, 6) });
    expect(tally(cells)).toMatchObject({ strip: 2, held: 4, ahead: 4, show: 0 });
  });
});

describe("bands", () => {
  it("cover every pixel once, in order", () => {
    const ranges = Array.from({ length: 1000 }, (_, i) => range(i * 7, i * 7 + 7, i % 2 === 0 ? "show" : "strip", i % 2 === 0 ? null : "marker"));
    for (const width of [1, 13, 640]) {
      const bands = bandsOf(cellsOf({ total: 7000, came: 7000, ranges, hold: null }), width);
      let x = 0;
      for (const band of bands) {
        expect(band.x).toBe(x);
        x += band.width;
      }
      expect(x).toBe(width);
    }
  });

  it("keep one held byte of a megabyte visible", () => {
    const cells = cellsOf({ total: 1_000_000, came: 1_000_000, ranges: [range(0, 500_000, "show"), range(500_001, 1_000_000, "show")], hold: hold(500_000, 500_001) });
    const held = bandsOf(cells, 600).filter((b) => b.fate === "held");
    expect(held).toHaveLength(1);
    expect(held[0]?.x).toBe(300);
  });

  it("stay in proportion", () => {
    const cells = cellsOf({ total: 100, came: 50, ranges: [range(0, 25, "strip", "header"), range(25, 50, "show")], hold: null });
    expect(bandsOf(cells, 400).map((b) => [b.x, b.width])).toEqual([
      [0, 100],
      [100, 100],
      [200, 200],
    ]);
  });
});
