import { expect, it } from "vitest";
import { labOf, share } from "./lab";

const form = { mode: "collect", drop: "old", cap: 2.4, debounce_ms: Number.NaN, channel_debounce_ms: 250.4, run_ms: 3000, messages: "0 one\n\n 500  two words\nthree" };

it("reads a line each, with its time", () => {
  expect(labOf(form)).toEqual({
    mode: "collect", drop: "old", cap: 2, debounce_ms: 0, channel_debounce_ms: 250, run_ms: 3000,
    messages: [{ at_ms: 0, text: "one" }, { at_ms: 500, text: "two words" }, { at_ms: 500, text: "three" }],
  });
});

it("keeps a share between nothing and all", () => {
  expect([share(5, 10), share(20, 10), share(1, 0)]).toEqual([50, 100, 0]);
});
