import { expect, it, vi } from "vitest";
import { Selection } from "./selection";

it("goes back and forward, and forgets what was ahead when one goes elsewhere", () => {
  const selection = new Selection();
  for (const seq of [1, 2, 3]) selection.select({ seq });
  selection.back();
  selection.back();
  expect(selection.current).toEqual({ seq: 1 });
  expect([selection.canGoBack, selection.canGoForward]).toEqual([false, true]);
  selection.forward();
  expect(selection.current).toEqual({ seq: 2 });
  selection.select({ seq: 9 });
  expect(selection.canGoForward).toBe(false);
  selection.back();
  expect(selection.current).toEqual({ seq: 2 });
});

it("takes no step for selecting the same again, nor for scrubbing", () => {
  const selection = new Selection();
  const changed = vi.fn();
  selection.listen(changed);
  selection.select({ turn: 812, span: [0, 4] });
  selection.select({ turn: 812, span: [0, 4] });
  expect(changed).toHaveBeenCalledTimes(1);
  selection.replace({ turn: 812, span: [4, 9] });
  expect(selection.canGoBack).toBe(false);
  expect(selection.current?.span).toEqual([4, 9]);
});

it("remembers two hundred places", () => {
  const selection = new Selection();
  for (let seq = 0; seq < 300; seq += 1) selection.select({ seq });
  let steps = 0;
  for (; selection.canGoBack; steps += 1) selection.back();
  expect(steps).toBe(199);
  expect(selection.current).toEqual({ seq: 100 });
});

it("never remembers what was only hovered", () => {
  const selection = new Selection();
  selection.hover({ seq: 5 });
  expect(selection.hovered).toEqual({ seq: 5 });
  expect(selection.current).toBeNull();
});
