import { describe, expect, it } from "vitest";
import { byteAt, labelsOf, stretchesOf, xOf } from "./strip";

describe("the strip", () => {
  it("gives one message all of it", () => {
    const strip = stretchesOf([{ message: 0, bytes: 163 }], 640);
    expect(strip).toEqual([{ message: 0, bytes: 163, x: 0, width: 640 }]);
    expect(xOf(strip, 0, 0)).toBe(0);
    expect(xOf(strip, 0, 163)).toBe(640);
  });

  it("puts messages side by side, each to be hit", () => {
    const strip = stretchesOf([{ message: 0, bytes: 1 }, { message: 1, bytes: 1_000_000 }, { message: 2, bytes: 0 }], 640);
    expect(strip[0]?.width).toBeGreaterThanOrEqual(10);
    expect(strip[2]?.width).toBeGreaterThanOrEqual(10);
    const last = strip[2];
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(642);
    expect(byteAt(strip, (strip[1]?.x ?? 0) + 1)?.message).toBe(1);
  });

  it("finds the byte under the pointer, and the nearest beside the strip", () => {
    const strip = stretchesOf([{ message: 0, bytes: 100 }], 400);
    expect(byteAt(strip, 200)).toEqual({ message: 0, byte: 50 });
    expect(byteAt(strip, -5)).toEqual({ message: 0, byte: 0 });
    expect(byteAt(strip, 999)).toEqual({ message: 0, byte: 100 });
    expect(byteAt([], 1)).toBeNull();
  });
});

describe("labels under the strip", () => {
  it("keep their distance, and the widest bands come first", () => {
    const labels = labelsOf(
      [
        { x: 0, width: 200, words: ["stripped: header"] },
        { x: 200, width: 4, words: ["shown"] },
        { x: 204, width: 400, words: ["held: partial_tag"] },
      ],
      604,
    );
    expect(labels.map((l) => l.text)).toEqual(["stripped: header", "shown", "held: partial_tag"]);
  });

  it("leave out what would overlap or name its neighbour", () => {
    const labels = labelsOf(
      [
        { x: 0, width: 3, words: ["a long label at the edge"] },
        { x: 3, width: 50, words: ["shown"] },
        { x: 53, width: 20, words: ["dropped: trim"] },
      ],
      400,
    );
    expect(labels.map((l) => l.text)).toEqual(["shown"]);
  });

  it("take the shorter word where the longer one does not fit", () => {
    const labels = labelsOf(
      [
        { x: 0, width: 70, words: ["stripped: header", "header"] },
        { x: 70, width: 200, words: ["stripped: actions_block", "actions_block"] },
      ],
      270,
    );
    expect(labels.map((l) => l.text)).toEqual(["header", "stripped: actions_block"]);
  });
});
