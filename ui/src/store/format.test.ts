import { expect, it } from "vitest";
import { bytes, count, duration, offset, plural, sentence, stamp } from "./format";

it("says numbers with their units", () => {
  expect([0, 999, 1000, 8192, 50_000_000].map(bytes)).toEqual(["0 B", "999 B", "1 kB", "8.2 kB", "50 MB"]);
  expect([0, 840, 1500, 1840, 12_340, 60_000, 125_000, 3_600_000, 10_920_000].map(duration))
    .toEqual(["0 ms", "840 ms", "1.5 s", "1.84 s", "12.3 s", "1 min", "2 min 5 s", "1 h", "3 h 2 min"]);
  expect(count(1_234_567)).toBe("1,234,567");
  expect(offset(1670)).toBe("+1,670");
  expect(stamp(1670)).toBe("+1,670 ms");
  expect([plural(1, "hold"), plural(3, "hold"), plural(2, "delivery", "deliveries")]).toEqual(["1 hold", "3 holds", "2 deliveries"]);
});

it("makes whole sentences of what the backend says in half ones", () => {
  expect(["unknown field “chanel”", "`is:` has no “eror”", "It ended.", "did it?"].map(sentence))
    .toEqual(["Unknown field “chanel”.", "`is:` has no “eror”.", "It ended.", "Did it?"]);
});
