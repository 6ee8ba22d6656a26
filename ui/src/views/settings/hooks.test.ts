import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it } from "vitest";
import demo from "../../../recordings/demo";
import type { HookCall, HookLine } from "../../generated/wire";
import { byId, click, layOut, stage } from "../../test/stage";
import HooksSection from "./HooksSection.svelte";

beforeEach(layOut);
afterEach(cleanup);

const at = "2026-11-28T09:00:00.000Z";
const call = (seq: number, done: boolean): HookCall => ({
  seq, at, end: { hook: "pager", event: seq - 1, done, detail: done ? "notify-send: exit status: 0" : "notify-send: exit status: 3: no bus", attempts: done ? 1 : 3, took_ms: 40 },
});
const pager: HookLine = {
  name: "pager", filter: "outcome:failed", destination: "notify-send", signed: false, calling: null, waiting: 0, done: 2, failed: 0, left_out: 0, latest: call(12, true), failures: [],
};
const busy: HookLine = {
  ...pager, name: "dashboard", filter: "", destination: "https://example.org", signed: true, calling: 30, waiting: 64, done: 5, failed: 2, left_out: 7, latest: call(22, false),
  failures: [call(22, false), call(18, false)],
};

const open = (lines: HookLine[]) => stage(HooksSection, undefined, { ...demo, calls: [{ name: "hooks", result: lines }, ...demo.calls.filter((one) => one.name !== "hooks")] });
const all = (id: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(`[data-testid='${id}']`)];
const rows = (): string[] => all("hook").map((row) => row.textContent?.replace(/\s+/g, " ").trim() ?? "");

it("says of each what it is told of, what it was told last, what waits, what was lost and what failed", async () => {
  await open([pager, busy]);
  expect(rows()).toEqual([
    expect.stringMatching(/^pager notify-send outcome:failed 2 told since the start nothing waits told .* about #11: notify-send: exit status: 0 \(40 ms\)$/),
    expect.stringMatching(/^dashboard signed https:\/\/example\.org all events 5 told, 2 failed since the start 64 waiting, at most 64 7 events left out: too many waited being told about #30 failed .*#21: .*no bus \(3 attempts, 40 ms\) failed .*#17: /),
  ]);
  expect(byId("hooks").textContent).toContain("2 hooks, 2 failed since the start");
  expect(all("hook-failure")).toHaveLength(1);
});

it("leads from each to its events", async () => {
  const { console } = await open([pager]);
  await click(byId("hook-latest-event"));
  expect([console.view, console.selected?.seq]).toEqual(["live", 12]);
  await click(byId("hook-latest-about"));
  expect(console.selected?.seq).toBe(11);
  await click(byId("hook-filter"));
  expect(console.askedFilter).toBe("outcome:failed");
});

it("says how to add one where there is none", async () => {
  await open([]);
  expect(byId("hooks").textContent).toContain("[[hooks]]");
});
