import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as measuring from "../../parts/textWidth";
import { byId, calls, click, press, settle, stage, type } from "../../test/stage";
import { SampleHost } from "../turn/test/host";
import { DECISIONS } from "./depth";
import LiveView from "./LiveView.svelte";
import { choose, showEverything, turns } from "./test/live";

beforeEach(showEverything);
vi.mock("../../parts/textWidth", { spy: true });

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

describe("the depths", () => {
  const header = (): string[] => [...document.querySelectorAll("[role='columnheader']")].map((cell) => cell.textContent?.trim().replace(/ [↓↑]$/, "") ?? "");
  const wide = (): void => void Object.defineProperty(HTMLElement.prototype, "clientWidth", { configurable: true, get: () => 1230 });

  it("opens with turns: who, question, answer, outcome, longest hold, latency, and the lanes in small", async () => {
    localStorage.clear();
    wide();
    const strokes = new Map<HTMLCanvasElement, number>();
    vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockImplementation(function (this: HTMLCanvasElement) {
      return { clearRect: () => strokes.set(this, 0), fillRect: () => strokes.set(this, (strokes.get(this) ?? 0) + 1) } as never;
    });
    const { host } = await stage(LiveView, undefined, undefined, new SampleHost());
    expect(calls(host, "view_open")).toEqual([{ filter: "", rows: "turns" }]);
    expect(header()).toEqual(["Turn", "Who", "Question", "Answer", "Lanes", "Longest hold", "Latency", "Time", "Outcome", "Took"]);
    const row = turns().find((turn) => turn.dataset["turn"] === "812");
    const cells = [...(row?.querySelectorAll("[role='gridcell']") ?? [])].map((cell) => cell.textContent?.trim());
    expect(cells[0]).toBe("#812");
    expect(cells.slice(1, 3)).toEqual(["Alice", "Can you put the numbers into a chart?"]);
    expect(cells[3]).toContain("Here is the chart");
    expect(cells[5]).toBe("121 ms");
    expect(cells[6]).toBe("400 ms");
    expect(cells[8]).toBe("1 failed");
    const sketch = row?.querySelector("[data-testid='lane-sketch']");
    expect(sketch?.getAttribute("aria-label")).toContain("held");
    expect(strokes.get(sketch?.querySelector("canvas") as HTMLCanvasElement)).toBeGreaterThan(2);
  });

  it("holds as much of an answer as fits, has the page cut off what cannot be measured, and tells all of it", async () => {
    localStorage.clear();
    wide();
    const cut = (text: string): string => (text.length > 20 ? `${text.slice(0, 20)}…` : text);
    vi.mocked(measuring.fitText).mockImplementation((text) => (text.startsWith("Can you") ? null : cut(text)));
    await stage(LiveView, undefined, undefined, new SampleHost());
    const row = turns().find((turn) => turn.dataset["turn"] === "812");
    const [, , said, answer] = [...(row?.querySelectorAll<HTMLElement>("[role='gridcell']") ?? [])];
    expect(said?.textContent?.trim()).toBe("Can you put the numbers into a chart?");
    expect([said?.classList.contains("whole"), said?.title]).toEqual([false, ""]);
    expect(answer?.textContent).toBe(cut(answer?.title ?? ""));
    expect(answer?.textContent).toMatch(/^Here is the chart.*…$/);
    expect(answer?.classList.contains("whole")).toBe(true);
  });

  it("selects the turn under the cursor, and opens it only when asked", async () => {
    choose("turns");
    const { console } = await stage(LiveView, undefined, undefined, new SampleHost());
    const [first] = turns();
    first?.focus();
    await click(first as Element);
    expect(console.selected?.turn).toBe(Number(first?.dataset["turn"]));
    expect(console.view).toBe("live");
    await press(document.activeElement as Element, "Enter");
    expect(console.view).toBe("turn");
  });

  it("leaves out of the decisions what only says that nothing happened, and asks the backend for it", async () => {
    choose("decisions");
    const { host } = await stage(LiveView);
    expect(calls(host, "view_open")).toEqual([{ filter: DECISIONS }]);
    await type(byId("filter"), "channel:slack or is:error");
    await press(byId("filter"), "Enter");
    expect(calls(host, "view_open").at(-1)).toEqual({ filter: `(channel:slack or is:error) ${DECISIONS}` });
    await click(byId("depth-everything"));
    expect(calls(host, "view_open").at(-1)).toEqual({ filter: "channel:slack or is:error" });
    await click(byId("depth-turns"));
    expect(calls(host, "view_open").at(-1)).toEqual({ filter: "channel:slack or is:error", rows: "turns" });
    expect((byId("filter") as HTMLInputElement).value).toBe("channel:slack or is:error");
  });

  it("is kept, and chosen by key", async () => {
    const { console } = await stage(LiveView);
    console.actions.run("live.turns");
    await settle();
    byId("turn-list");
    console.actions.run("live.decisions");
    await settle();
    byId("events");
    expect(JSON.parse(localStorage.getItem("foldback.prefs") ?? "{}")).toMatchObject({ depth: "decisions" });
  });

  it("shows everything where a figure elsewhere counts events", async () => {
    choose("turns");
    const { console, host } = await stage(LiveView, undefined, undefined, new SampleHost());
    console.showEvents("kind:idle");
    await settle();
    expect(calls(host, "view_open").at(-1)).toEqual({ filter: "kind:idle" });
  });
});
