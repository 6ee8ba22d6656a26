import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import demo from "../../../recordings/demo";
import type { EventRow } from "../../generated/wire";
import { byId, calls, click, press, settle, SIZE, stage } from "../../test/stage";
import LiveView from "./LiveView.svelte";
import { drawn, showEverything } from "./test/live";

beforeEach(showEverything);
afterEach(cleanup);

const million = (): EventRow[] => {
  const [first] = demo.rows;
  if (!first) throw new Error("the recording has rows");
  // One object a million times: what is under test is the page, not the recording.
  return Array.from({ length: 1_000_000 }, () => first);
};

describe("the event grid", () => {
  it("draws what is visible and tells a screen reader how many rows there are", async () => {
    await stage(LiveView);
    const rows = demo.rows.length;
    expect(byId("events").getAttribute("aria-rowcount")).toBe(String(rows + 1));
    expect(drawn().length).toBeLessThanOrEqual(SIZE.height / 24 + 2);
    expect(drawn().at(-1)?.getAttribute("aria-rowindex")).toBe(String(rows + 1));
  });

  it("draws no more of a million rows than of a thousand", async () => {
    const { host } = await stage(LiveView, undefined, { ...demo, rows: million() });
    expect(byId("events").getAttribute("aria-rowcount")).toBe("1000001");
    expect(drawn().length).toBeLessThanOrEqual(SIZE.height / 24 + 2);
    for (const asked of calls(host, "view_window")) expect((asked as { count: number }).count).toBeLessThan(100);
  });

  it("follows the end, leaves it on any upward scroll, and goes back when asked", async () => {
    const { host } = await stage(LiveView);
    byId("following");
    byId("events").querySelector("[data-index]")?.dispatchEvent(new WheelEvent("wheel", { deltaY: -3, bubbles: true, cancelable: true }));
    await settle();
    const last = demo.rows.at(-1);
    if (!last) throw new Error("the recording has rows");
    host.append(Array.from({ length: 42 }, (_, i) => ({ ...last, seq: last.seq + 1 + i })));
    await settle();
    expect(byId("fresh").textContent).toContain("42 new");
    await click(byId("fresh"));
    byId("following");
  });

  it("goes on following the end when the window grows, and leaves it when the bar is dragged up", async () => {
    await stage(LiveView);
    const bar = byId("events").querySelector("[data-scrollbar]") as HTMLElement;
    const [height, end] = [SIZE.height + 200, bar.scrollTop];
    Object.defineProperty(bar, "scrollHeight", { configurable: true, value: end + SIZE.height });
    Object.defineProperty(bar, "clientHeight", { configurable: true, value: height });
    const scrolls = async (to: number): Promise<void> => {
      bar.scrollTop = to;
      bar.dispatchEvent(new Event("scroll"));
      await settle();
    };
    await scrolls(end - 200);
    byId("following");
    await scrolls(end - 300);
    expect(document.querySelector("[data-testid='following']")).toBeNull();
  });

  it("shows a gap as a row", async () => {
    const gap = demo.rows.findIndex((r) => r.gap !== null);
    await stage(LiveView, undefined, { ...demo, rows: demo.rows.slice(0, gap + 3) });
    expect(byId("events").textContent).toContain("318 events");
  });

  it("pauses without closing the view", async () => {
    const { host } = await stage(LiveView);
    const row = drawn()[0] as HTMLElement;
    row.focus();
    await settle();
    await press(row, " ", { code: "Space" });
    expect(calls(host, "view_pause")).toEqual([{ view: 1, paused: true }]);
    expect(byId("resume").textContent).toContain("capture goes on");
    expect(calls(host, "view_close")).toEqual([]);
  });

  it("shows how long what is over has lasted", async () => {
    const rows = demo.rows.slice(0, 5).map((r) => ({ ...r, lasted_ms: 1240 }));
    Object.defineProperty(HTMLElement.prototype, "clientWidth", { configurable: true, get: () => 1400 });
    await stage(LiveView, undefined, { ...demo, rows });
    expect(byId("events").querySelector("[role='row']")?.textContent).toContain("Duration");
    expect(drawn()[0]?.textContent).toContain("1.24 s");
  });
});

it("resumes after a reload where it was, by sequence number", async () => {
  const row = demo.rows[400];
  sessionStorage.setItem("foldback.live", JSON.stringify({ filter: "", following: false, seq: row?.seq }));
  const { host } = await stage(LiveView);
  expect(calls(host, "view_find")).toContainEqual({ view: 1, seq: row?.seq });
  expect(drawn().map((r) => Number(r.dataset["index"]))).toContain(400);
});
