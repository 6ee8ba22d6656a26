import { describe, expect, it } from "vitest";
import { isSame, keepSame } from "./same";

describe("two values", () => {
  it("are equal where everything in them is", () => {
    expect(isSame({ a: 1, b: ["x", null], c: { d: 2 } }, { a: 1, b: ["x", null], c: { d: 2 } })).toBe(true);
  });

  it.each([
    [{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 1, b: 2 }], [{ a: 1, b: 2 }, { a: 1 }], [{ a: ["x"] }, { a: ["x", "y"] }], [{ a: ["x", "y"] }, { a: ["y", "x"] }],
    [{ a: null }, { a: {} }], [{ a: {} }, { a: null }], ["1", 1], [null, 0],
  ])("are not where anything is not: %j and %j", (one, other) => {
    expect(isSame(one, other)).toBe(false);
  });
});

describe("the rows of a frame", () => {
  const row = (seq: number, said = "x"): { seq: number; flags: string[] } => ({ seq, flags: [said] });
  const keep = (last: { seq: number }[], next: { seq: number }[]): boolean[] => {
    const came = [...next];
    keepSame(last, next, ({ seq }) => seq);
    return next.map((kept, at) => kept !== came[at] && last.includes(kept));
  };

  it("are those of the last frame where they are equal, wherever they stand", () => {
    expect(keep([row(1), row(2), row(4)], [row(2), row(3), row(4), row(5)])).toEqual([true, false, true, false]);
    expect(keep([row(5), row(6)], [row(1), row(2)])).toEqual([false, false]);
    expect(keep([], [row(1)])).toEqual([false]);
  });

  it("are new where anything about them is", () => {
    expect(keep([row(1), row(2, "held")], [row(1), row(2, "error")])).toEqual([true, false]);
  });
});
