import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import demo from "../../../recordings/demo";
import type { ExportPreview, TurnId } from "../../generated/wire";
import type { Recording } from "../../host/recorded";
import { byId, calls, click, press, settle, stage } from "../../test/stage";
import { SampleHost } from "../turn/test/host";
import LiveView from "./LiveView.svelte";
import { choose, drawn, showEverything, turns } from "./test/live";

beforeEach(showEverything);
afterEach(cleanup);

const preview: ExportPreview = { turns: [780, 781], bytes: 9_000, path: "/data/exports/turns.html", masks: [], masked_before: 0 };
const recording: Recording = { ...demo, pushes: [], calls: [{ name: "export_preview", result: preview }, ...demo.calls] };
const marked = (rows: readonly HTMLElement[]): string[] => rows.filter((row) => row.classList.contains("marked")).map((row) => row.dataset["index"] ?? "");
const isShown = (id: string): boolean => document.querySelector(`[data-testid="${id}"]`) !== null;
const numberOf = (row: HTMLElement | undefined): TurnId => Number(row?.dataset["turn"]);
const focused = (): Element => document.activeElement as Element;

async function put(row: HTMLElement | undefined): Promise<void> {
  row?.focus();
  await click(row as Element);
}

describe("the marks of Live", () => {
  it("are set and taken away by key and by pointer, and counted", async () => {
    choose("turns");
    const { console } = await stage(LiveView, undefined, recording, new SampleHost());
    expect(isShown("marks")).toBe(false);
    await put(turns()[1]);
    await press(focused(), "m");
    expect([...console.marks.turns]).toEqual([numberOf(turns()[1])]);
    expect(byId("marks").textContent).toContain("1 turn marked");
    expect(turns()[1]?.getAttribute("aria-label")).toMatch(/^Marked\. /);
    turns()[0]?.dispatchEvent(new MouseEvent("click", { bubbles: true, ctrlKey: true }));
    await settle();
    expect(console.marks.sorted).toEqual([numberOf(turns()[0]), numberOf(turns()[1])].sort((a, b) => a - b));
    expect(marked(turns())).toEqual(turns().slice(0, 2).map(({ dataset }) => dataset["index"]));
    await press(focused(), "m");
    expect(marked(turns())).toEqual([turns()[1]?.dataset["index"]]);
    await click(byId("marks-clear"));
    expect(isShown("marks")).toBe(false);
    expect(marked(turns())).toEqual([]);
  });

  it("reach from the cursor to a row that is clicked with Shift, and go along with an arrow", async () => {
    choose("turns");
    const { console } = await stage(LiveView, undefined, recording, new SampleHost());
    const all = turns().map(numberOf);
    expect(all.length).toBeGreaterThan(3);
    await put(turns()[0]);
    turns()[2]?.dispatchEvent(new MouseEvent("click", { bubbles: true, shiftKey: true }));
    await settle();
    expect(console.marks.sorted).toEqual(all.slice(0, 3).sort((a, b) => a - b));
    await press(focused(), "ArrowDown", { shiftKey: true });
    expect(console.marks.sorted).toEqual(all.slice(0, 4).sort((a, b) => a - b));
  });

  it("are marks of turns: every event of a marked turn shows its mark, in every depth and under every filter", async () => {
    const { console } = await stage(LiveView, undefined, recording);
    const row = drawn().find(({ textContent }) => /#\d/.test(textContent ?? ""));
    await put(row);
    await press(focused(), "m");
    const turn = demo.rows[Number(row?.dataset["index"])]?.turn;
    expect([...console.marks.turns]).toEqual([turn]);
    const shown = drawn().filter((line) => demo.rows[Number(line.dataset["index"])]?.turn === turn);
    expect(shown.length).toBeGreaterThan(1);
    expect(marked(drawn())).toEqual(shown.map((line) => line.dataset["index"]));
    await click(byId("depth-decisions"));
    expect(byId("marks").textContent).toContain("1 turn marked");
  });

  it("say that an event of no turn cannot be exported", async () => {
    const at = demo.rows.findIndex(({ turn, gap }) => turn === null && gap === null);
    const { console } = await stage(LiveView, undefined, { ...recording, rows: demo.rows.slice(0, at + 2) });
    await put(drawn().find(({ dataset }) => dataset["index"] === String(at)));
    await press(focused(), "m");
    expect(console.marks.turns.size).toBe(0);
    expect(byId("toast").textContent).toContain("belongs to no turn");
  });

  it("are exported by key, from the palette or the bar, and the dialog says how many they are", async () => {
    const { console, host } = await stage(LiveView, undefined, recording);
    expect(console.actions.can("live.export"), "nothing is marked").toBe(false);
    console.marks.add([781, 780]);
    await settle();
    await press(document.body, "e", { ctrlKey: true, shiftKey: true });
    expect(byId("export-what-marks").textContent).toContain("2 marked turns");
    expect(calls(host, "export_preview").at(-1)).toEqual({ scope: { of: "turns", turns: [780, 781] }, format: "html" });
    expect(byId("export-preview").textContent).toContain("2 turns (#780, #781), 9,000 B.");
    expect(isShown("export-what-filter")).toBe(true);
  });

  it("leave the export of the filter what it was, in every depth", async () => {
    choose("turns");
    const { console, host } = await stage(LiveView, undefined, recording, new SampleHost());
    console.actions.run("filter.export");
    await settle();
    expect(isShown("export-dialog")).toBe(true);
    expect(calls(host, "export_preview").at(-1)).toEqual({ scope: { of: "filter", filter: "" }, format: "html" });
  });
});
