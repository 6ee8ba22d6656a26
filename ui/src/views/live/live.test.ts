import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import demo from "../../../recordings/demo";
import type { Args, CommandName, Result } from "../../host/host";
import type { EventRow } from "../../generated/wire";
import { RecordedHost } from "../../host/recorded";
import { byId, calls, click, layOut, press, resize, settle, SIZE, SlowHost, stage, type } from "../../test/stage";
import { SampleHost } from "../turn/test/host";
import { DECISIONS, type Depth } from "./depth";
import LiveView from "./LiveView.svelte";

beforeEach(() => {
  layOut();
  depth("everything");
});
afterEach(cleanup);

/** What an earlier window chose. */
const depth = (chosen: Depth): void => localStorage.setItem("foldback.prefs", JSON.stringify({ depth: chosen }));

const drawn = (): HTMLElement[] => [...byId("events").querySelectorAll<HTMLElement>("[data-index]")];
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

  it("moves the cursor by key, shows the event, and opens its turn", async () => {
    const { console, host } = await stage(LiveView);
    const row = drawn().at(5);
    row?.focus();
    await click(row as Element);
    await press(document.activeElement as Element, "j");
    await press(document.activeElement as Element, "k");
    await press(document.activeElement as Element, "k");
    const seq = console.selected?.seq;
    expect(seq).toBe(demo.rows[Number(row?.dataset["index"]) - 1]?.seq);
    expect(calls(host, "event").at(-1)).toEqual({ seq });
    expect(byId("event-inspector").textContent).toContain("an <actions> block is open");
    await press(document.activeElement as Element, "Enter");
    expect(console.view).toBe("turn");
  });

  it("lets one scroll away from the cursor, and comes back to a selection made elsewhere", async () => {
    const { console } = await stage(LiveView);
    drawn()[5]?.focus();
    await click(drawn()[5] as Element);
    const chosen = console.selected?.seq;
    const bar = byId("events").querySelector("[data-scrollbar]") as HTMLElement;
    bar.scrollTop = 0;
    bar.dispatchEvent(new Event("scroll"));
    await settle(40);
    expect(drawn()[0]?.dataset["index"]).toBe("0");
    expect(drawn()[0]?.textContent).toContain("alice");
    expect(console.selected?.seq).toBe(chosen);
    console.select({ seq: demo.rows[600]?.seq });
    await settle();
    expect(document.querySelector("[aria-selected='true']")?.getAttribute("aria-rowindex")).toBe("602");
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

  it("selects the last row with End and the first with Home, and moves by pages", async () => {
    const { console } = await stage(LiveView);
    const row = drawn().at(5) as HTMLElement;
    row.focus();
    await click(row);
    const at = (index: number): number | undefined => demo.rows.at(index)?.seq;
    await press(document.activeElement as Element, "End");
    await settle();
    expect(console.selected?.seq).toBe(at(-1));
    await press(document.activeElement as Element, "PageUp");
    await settle();
    const page = Math.floor(SIZE.height / 24);
    expect(console.selected?.seq).toBe(at(-1 - page));
    await press(document.activeElement as Element, "Home");
    await settle();
    expect(console.selected?.seq).toBe(at(0));
    await press(document.activeElement as Element, "PageDown");
    await settle();
    expect(console.selected?.seq).toBe(at(page));
  });

  it("keeps the selected row in view where a toast takes the room of the last rows", async () => {
    await stage(LiveView);
    const row = drawn().at(5) as HTMLElement;
    row.focus();
    await click(row);
    await press(document.activeElement as Element, "End");
    await settle();
    const selected = (): string | null => document.querySelector("[aria-selected='true']")?.getAttribute("data-index") ?? null;
    expect(selected()).toBe(String(demo.rows.length - 1));
    await resize(SIZE.height - 100);
    expect(selected()).toBe(String(demo.rows.length - 1));
  });

  it("says at once that there is no error to go to, and that it still looks", async () => {
    const rows = demo.rows.filter((r) => !r.flags.includes("error"));
    const recording = { ...demo, rows };
    const host = new SlowHost(recording, "view_find");
    const { console } = await stage(LiveView, undefined, recording, host);
    const row = drawn()[3] as HTMLElement;
    row.focus();
    await click(row);
    await press(document.activeElement as Element, "e");
    await vi.waitFor(() => expect(byId("jump-note").textContent).toBe("Looking for the next error…"));
    await host.answer();
    expect(byId("jump-note").textContent).toBe("No error after this row.");
    expect(console.selected?.seq).toBe(rows[Number(row.dataset["index"])]?.seq);
    await press(document.activeElement as Element, "j");
    expect(document.querySelector("[data-testid='jump-note']")).toBeNull();
  });

  it("keeps the cursor on its event where a row joins before it", async () => {
    const rows = [...demo.rows.slice(0, 40)];
    const { console, host } = await stage(LiveView, undefined, { ...demo, rows });
    const row = drawn().at(-2) as HTMLElement;
    row.focus();
    await click(row);
    const seq = console.selected?.seq;
    const first = rows[0] as EventRow;
    host.insert({ ...first, seq: 0, summary: "it is over" });
    await settle();
    await settle();
    expect(console.selected?.seq).toBe(seq);
    expect(document.querySelector("[aria-selected='true']")?.getAttribute("data-index")).toBe(String(Number(row.dataset["index"]) + 1));
  });

  it("finds the event of the cursor again where the backend was ahead of the screen", async () => {
    class HostAhead extends RecordedHost {
      ahead = 0;

      override async call<K extends CommandName>(name: K, args: Args<K>): Promise<Result<K>> {
        const answer = await super.call(name, args);
        if (name !== "view_find") return answer;
        const { index } = answer as Result<"view_find">;
        return { index: index === null ? null : index + this.ahead } as Result<K>;
      }
    }
    const rows = [...demo.rows.slice(0, 40)];
    const host = new HostAhead({ ...demo, rows });
    const { console } = await stage(LiveView, undefined, { ...demo, rows }, host);
    const row = drawn().at(-3) as HTMLElement;
    row.focus();
    await click(row);
    const seq = console.selected?.seq;
    const first = rows[0] as EventRow;
    host.ahead = 1;
    host.insert({ ...first, seq: 0, summary: "it is over" });
    await settle();
    host.ahead = 0;
    host.insert({ ...first, seq: -1, summary: "it is over, too" });
    await settle();
    await settle();
    expect(console.selected?.seq).toBe(seq);
    expect(document.querySelector("[aria-selected='true']")?.getAttribute("data-index")).toBe(String(Number(row.dataset["index"]) + 2));
  });

  it("shows how long what is over has lasted", async () => {
    const rows = demo.rows.slice(0, 5).map((r) => ({ ...r, lasted_ms: 1240 }));
    Object.defineProperty(HTMLElement.prototype, "clientWidth", { configurable: true, get: () => 1400 });
    await stage(LiveView, undefined, { ...demo, rows });
    expect(byId("events").querySelector("[role='row']")?.textContent).toContain("Duration");
    expect(drawn()[0]?.textContent).toContain("1.24 s");
  });

  it("goes to the next error by asking the backend, however far it is", async () => {
    const rows = demo.rows.map((r) => ({ ...r, summary: r.flags.includes("error") ? `${r.summary} is:error` : r.summary }));
    const { console } = await stage(LiveView, undefined, { ...demo, rows });
    const first = drawn()[0] as HTMLElement;
    first.focus();
    await click(first);
    await press(document.activeElement as Element, "e", { shiftKey: true });
    await settle();
    const seq = console.selected?.seq ?? 0;
    expect(rows.find((r) => r.seq === seq)?.flags).toContain("error");
  });
});

describe("the filter", () => {
  it("says what is wrong, and one key puts it right", async () => {
    const { host } = await stage(LiveView);
    const input = byId("filter");
    input.focus();
    await type(input, "chanel:discord");
    await press(input, "Enter");
    // Once, in words, with code as code; what was meant is the button and nothing else.
    expect(byId("filter-error").textContent?.replaceAll(/\s+/g, " ").trim()).toBe("Unknown field “chanel”. Use channel ↵");
    expect([...byId("filter-error").querySelectorAll("code")].map((code) => code.textContent)).toEqual(["channel"]);
    expect(input.getAttribute("aria-invalid")).toBe("true");
    await press(input, "Enter");
    expect((input as HTMLInputElement).value).toBe("channel:discord");
    expect(calls(host, "view_open").at(-1)).toEqual({ filter: "channel:discord" });
    expect(document.querySelector("[data-testid='filter-error']")).toBeNull();
  });

  it("marks what is wrong where it stands, however far the field is scrolled", async () => {
    await stage(LiveView);
    const input = byId("filter");
    let scrolled = 0;
    Object.defineProperty(input, "scrollLeft", { configurable: true, get: () => scrolled });
    const shift = (): string | undefined => byId("filter-ghost").querySelector<HTMLElement>(".text")?.style.transform;
    input.focus();
    // WebKit scrolls it without an event.
    scrolled = 120;
    await type(input, "chanel:discord");
    await press(input, "Enter");
    expect(shift()).toBe("translateX(-120px)");
    scrolled = 40;
    await press(input, "ArrowLeft");
    input.dispatchEvent(new KeyboardEvent("keyup", { key: "ArrowLeft", bubbles: true }));
    await settle();
    expect(shift()).toBe("translateX(-40px)");
    scrolled = 7;
    document.dispatchEvent(new Event("selectionchange"));
    await settle();
    expect(shift()).toBe("translateX(-7px)");
  });

  it("follows the end again where another filter leaves nothing selected, and stays with the event that is", async () => {
    const { console } = await stage(LiveView);
    await click(drawn()[3] as Element);
    expect(document.querySelector("[data-testid='following']")).toBeNull();
    const seq = console.selected?.seq;
    const input = byId("filter");
    await type(input, "discord");
    await press(input, "Enter");
    await settle();
    await type(input, "");
    await press(input, "Enter");
    await settle();
    const index = demo.rows.findIndex((row) => row.seq === seq);
    expect(drawn().map((row) => Number(row.dataset["index"]))).toContain(index);
    console.select({ turn: 812 });
    await type(input, "discord");
    await press(input, "Enter");
    await settle();
    byId("following");
  });

  it("proposes, and takes the proposal chosen", async () => {
    await stage(LiveView);
    const input = byId("filter");
    input.focus();
    await type(input, "c");
    expect(byId("filter-proposals").textContent).toContain("channel:");
    await press(input, "ArrowDown");
    await press(input, "Enter");
    expect((input as HTMLInputElement).value).toBe("channel:");
  });

  /** A recording with these proposals, the first that fits a text. */
  const proposing = (offers: Record<string, readonly [number, number, string][]>): typeof demo => ({
    ...demo,
    calls: [
      ...Object.entries(offers).map(([text, list]) => ({
        name: "filter_complete" as const, args: { text },
        result: list.map(([from, to, proposal]) => ({ span: [from, to] as [number, number], text: proposal, about: "It means this." })),
      })),
      ...demo.calls,
    ],
  });
  const value = (input: HTMLElement): string => (input as HTMLInputElement).value;
  const tab = async (input: HTMLElement): Promise<boolean> => {
    const event = new KeyboardEvent("keydown", { key: "Tab", bubbles: true, cancelable: true });
    input.dispatchEvent(event);
    await settle();
    return event.defaultPrevented;
  };

  it("takes a field with Tab, then a value, and lets Tab go on once nothing is left to complete", async () => {
    const offers = { ch: [[0, 2, "channel:"]], "channel:": [[8, 8, "telegram"], [8, 8, "discord"]], "channel:telegram": [[8, 16, "telegram"]] } satisfies Record<string, [number, number, string][]>;
    await stage(LiveView, undefined, proposing(offers));
    const input = byId("filter");
    input.focus();
    await settle();
    expect(await tab(input), "of an empty field Tab goes on").toBe(false);
    await type(input, "ch");
    expect(await tab(input)).toBe(true);
    expect(value(input)).toBe("channel:");
    expect(byId("filter-proposals").textContent).toContain("discord");
    expect(await tab(input)).toBe(true);
    expect(value(input)).toBe("channel:telegram");
    expect(document.querySelector("[data-testid='filter-proposals']"), "what is complete is not proposed").toBeNull();
    expect(await tab(input)).toBe(false);
    expect(value(input)).toBe("channel:telegram");
  });

  it("puts no proposal into another text than the one it was made for", async () => {
    const recording = proposing({ ch: [[0, 2, "channel:"]], "channel:": [[8, 8, "telegram"]] });
    const host = new SlowHost(recording, "filter_complete");
    await stage(LiveView, undefined, recording, host);
    const input = byId("filter");
    input.focus();
    await settle();
    await type(input, "ch");
    await host.answer();
    await host.answer();
    expect(await tab(input)).toBe(true);
    expect(value(input)).toBe("channel:");
    // The proposals for the new text are still on their way: Tab waits for them.
    expect(await tab(input)).toBe(true);
    expect(value(input)).toBe("channel:");
    await host.answer();
    expect(value(input)).toBe("channel:telegram");
    await type(input, "xyz");
    await host.answer();
    expect(value(input)).toBe("xyz");
  });

  it("offers every field, not the first ten only", async () => {
    const many = Array.from({ length: 30 }, (_, n): [number, number, string] => [0, 1, `f${n}:`]);
    await stage(LiveView, undefined, proposing({ f: many }));
    const input = byId("filter");
    input.focus();
    await type(input, "f");
    expect(byId("filter-proposals").querySelectorAll("[role='option']")).toHaveLength(30);
  });

  it("says that the filter, not the journal, is why nothing is shown", async () => {
    await stage(LiveView);
    const input = byId("filter");
    input.focus();
    await type(input, "nobody said this");
    await press(input, "Enter");
    await settle();
    expect(byId("empty").textContent).toContain("none of them passes");
  });

  it("shows the events that a figure elsewhere asked for", async () => {
    const { console, host } = await stage(LiveView);
    console.askedFilter = "channel:slack";
    await settle();
    expect(calls(host, "view_open").at(-1)).toEqual({ filter: "channel:slack" });
    expect((byId("filter") as HTMLInputElement).value).toBe("channel:slack");
  });
});

it("resumes after a reload where it was, by sequence number", async () => {
  const row = demo.rows[400];
  sessionStorage.setItem("foldback.live", JSON.stringify({ filter: "", following: false, seq: row?.seq }));
  const { host } = await stage(LiveView);
  expect(calls(host, "view_find")).toContainEqual({ view: 1, seq: row?.seq });
  expect(drawn().map((r) => Number(r.dataset["index"]))).toContain(400);
});

describe("the depths", () => {
  const header = (): string[] => [...document.querySelectorAll("[role='columnheader']")].map((cell) => cell.textContent?.trim().replace(/ [↓↑]$/, "") ?? "");
  const turns = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("[data-testid='turn']")];
  const wide = (): void => void Object.defineProperty(HTMLElement.prototype, "clientWidth", { configurable: true, get: () => 1230 });

  it("opens with turns: who, question, answer, outcome, longest hold, latency, and the lanes in small", async () => {
    localStorage.clear();
    wide();
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
    expect([...(sketch?.querySelectorAll("path") ?? [])].filter((path) => path.getAttribute("d") !== "").length).toBeGreaterThan(2);
  });

  it("selects the turn under the cursor, and opens it only when asked", async () => {
    depth("turns");
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
    depth("decisions");
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
    depth("turns");
    const { console, host } = await stage(LiveView, undefined, undefined, new SampleHost());
    console.showEvents("kind:idle");
    await settle();
    expect(calls(host, "view_open").at(-1)).toEqual({ filter: "kind:idle" });
  });
});

describe("the columns", () => {
  const header = (): string[] => [...document.querySelectorAll("[role='columnheader']")].map((cell) => cell.textContent?.trim() ?? "");
  const choose = async (title: string): Promise<void> => {
    byId("columns").focus();
    await press(byId("columns"), "Enter");
    const item = [...document.querySelectorAll<HTMLElement>("[role='menuitem']")].find((entry) => entry.textContent?.trim().startsWith(title));
    if (item === undefined) throw new Error(`no ${title} in the menu`);
    item.focus();
    await press(item, "Enter");
  };

  it("are chosen for each depth, whatever the room, and reset together", async () => {
    const { host } = await stage(LiveView);
    expect(header()).not.toContain("Sessions");
    expect(header()).toContain("Kind");
    await choose("Kind");
    expect(header()).not.toContain("Kind");
    expect(drawn()[0]?.querySelectorAll("[role='gridcell']")).toHaveLength(header().length);
    await click(byId("depth-decisions"));
    expect(header(), "of another depth").toContain("Kind");
    await click(byId("depth-everything"));
    expect(header()).not.toContain("Kind");
    await choose("Reset columns");
    expect(header()).toContain("Kind");
    expect(calls(host, "view_open").length, "columns are the page's alone").toBe(3);
  });

  it("are sized by key and by dragging, and put back by a double click", async () => {
    await stage(LiveView);
    const tracks = (): string => byId("events").style.getPropertyValue("--tracks");
    const before = tracks();
    byId("size-channel").focus();
    await press(byId("size-channel"), "ArrowRight");
    expect(tracks()).toBe(before.replace("9rem 15rem", "10rem 15rem"));
    expect(document.activeElement, "the focus stays on the edge").toBe(byId("size-channel"));
    const pointer = (kind: string, clientX: number): boolean => byId("size-channel").dispatchEvent(new MouseEvent(kind, { bubbles: true, cancelable: true, clientX }));
    pointer("pointerdown", 300);
    pointer("pointermove", 350);
    pointer("pointerup", 350);
    await settle();
    expect(tracks()).toBe(before.replace("9rem 15rem", "15rem 15rem"));
    pointer("dblclick", 350);
    await settle();
    expect(tracks()).toBe(before);
  });

  it("turn the order over for the whole journal", async () => {
    await stage(LiveView);
    const seqs = (): string[] => drawn().map((row) => row.textContent ?? "");
    const last = seqs().at(-1);
    await click(byId("order"));
    expect(seqs()[0]).toBe(last);
    expect(document.querySelector("[aria-sort]")?.getAttribute("aria-sort")).toBe("descending");
  });
});
