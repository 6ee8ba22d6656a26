import { cleanup, render } from "@testing-library/svelte";
import type { Component } from "svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TurnSummary } from "../../generated/wire";
import { Console } from "../../state/console.svelte";
import Stage from "../../test/Stage.svelte";
import { byId, calls, click, layOut, press, settle, SIZE, stage, type } from "../../test/stage";
import { SampleHost } from "./test/host";
import { sampleTurn } from "./test/sample";
import TurnView from "./TurnView.svelte";

beforeEach(layOut);
afterEach(cleanup);

const all = (id: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(`[data-testid="${id}"]`)];
const listed = (): number[] => all("turn").map((row) => Number(row.dataset["turn"]));
const note = (): string => document.querySelector('[data-testid="turns"] .note')?.textContent ?? "";
const rowOf = (turn: number): HTMLElement => {
  const found = all("turn").find((row) => row.dataset["turn"] === String(turn));
  if (found === undefined) throw new Error(`no turn ${turn} in the list`);
  return found;
};

/** A journal of many turns; those of the sample are the newest of them. */
class LongHost extends SampleHost {
  constructor(many = 811) {
    super();
    for (let turn = 1; turn <= many; turn += 1) this.add(turn);
  }

  add(turn: number, change: Partial<TurnSummary> = {}): void {
    const detail = sampleTurn();
    this.retell({ ...detail, summary: { ...detail.summary, turn, sender: "Zoe", failed_ops: 0, ...change } });
  }
}

async function open(host = new LongHost()) {
  const window = await stage(TurnView, undefined, undefined, host);
  return { ...window, host };
}

describe("the list of turns", () => {
  it("is a window over all turns: the newest on top, the true count, and no more rows than fit", async () => {
    const { host } = await open();
    expect(note()).toBe("816 turns");
    expect(listed().slice(0, 3)).toEqual([816, 815, 814]);
    expect(listed().length).toBeGreaterThanOrEqual(10);
    expect(listed().length).toBeLessThanOrEqual(SIZE.height / 26 + 2);
    expect(calls(host, "view_open")).toContainEqual({ filter: "", rows: "turns" });
    expect(calls(host, "turns"), "nothing asks for a list beside it").toEqual([]);
    expect(byId("turn-list").getAttribute("aria-rowcount")).toBe("817");
  });

  it("names the turn that asked for what a delivery turn delivers, and opens it", async () => {
    const host = new LongHost();
    host.add(817, { cause: 815 });
    await open(host);
    expect(byId("turn-cause").textContent).toBe("#815");
    expect(all("turn-cause")).toHaveLength(1);
    await click(byId("turn-cause"));
    expect(rowOf(815).getAttribute("aria-selected")).toBe("true");
  });

  it("opens the newest turn when nothing is selected, and goes on following", async () => {
    const { host } = await open();
    expect(byId("chat-pane").textContent).toContain("#816");
    expect(rowOf(816).getAttribute("aria-selected")).toBe("true");
    host.add(817, { terminal: null });
    host.append([]);
    await settle();
    expect(listed().slice(0, 2)).toEqual([817, 816]);
    expect(note()).toBe("817 turns");
    expect(rowOf(816).getAttribute("aria-selected")).toBe("true");
    expect(rowOf(817).textContent).toContain("running");
  });

  it("tells what failed apart from what may have arrived", async () => {
    await open();
    expect(rowOf(813).textContent).toContain("1 failed, 1 unknown");
    expect(rowOf(812).textContent).toContain("1 failed");
    expect(rowOf(812).textContent).not.toContain("unknown");
  });

  it("shows a turn that was opened elsewhere, however old", async () => {
    const { console } = await open();
    console.openTurn(1);
    await settle();
    expect(byId("chat-pane").textContent).toContain("#1");
    expect(rowOf(1).getAttribute("aria-selected")).toBe("true");
    console.openTurn(400);
    await settle();
    expect(rowOf(400).getAttribute("aria-selected")).toBe("true");
    expect(listed()[0]).toBeGreaterThan(400);
    expect(all("turn-hidden")).toEqual([]);
  });

  it("shows the turn that is selected when it opens", async () => {
    const host = new LongHost();
    const console = new Console(host);
    console.select({ turn: 7 });
    render(Stage, { props: { console, component: TurnView as Component<Record<string, unknown>>, props: {} } });
    await settle();
    expect(rowOf(7).getAttribute("aria-selected")).toBe("true");
  });

  it("is filtered by the language of Live, over all turns, and says of how many", async () => {
    const { host, console } = await open();
    await click(rowOf(813));
    expect(byId("chat-pane").textContent).toContain("#813");
    expect(console.selected?.turn).toBe(813);
    byId("filter").focus();
    await type(byId("filter"), "mallory");
    await press(byId("filter"), "Enter");
    expect(calls(host, "filter_check")).toContainEqual({ text: "mallory" });
    expect(calls(host, "view_open").at(-1)).toEqual({ filter: "mallory", rows: "turns" });
    expect(listed()).toEqual([814]);
    expect(note()).toBe("1 of 816 turns");
    await type(byId("filter"), "nobody");
    await press(byId("filter"), "Enter");
    expect(listed()).toEqual([]);
    expect(byId("turns").textContent).toContain("No turn matches");
    expect(byId("turns").textContent).toContain("816 turns");
  });

  it("says that the filter hides the turn that is open, and offers to clear it", async () => {
    const { console } = await open();
    await type(byId("filter"), "mallory");
    await press(byId("filter"), "Enter");
    console.openTurn(5);
    await settle();
    expect(byId("chat-pane").textContent).toContain("#5");
    expect(byId("turn-hidden").textContent).toContain("The filter hides turn #5");
    await click(byId("turn-hidden").querySelector("button") as Element);
    await settle();
    expect(all("turn-hidden")).toEqual([]);
    expect(rowOf(5).getAttribute("aria-selected")).toBe("true");
    expect(note()).toBe("816 turns");
  });

  it("says nothing of a filter where there is no such turn", async () => {
    const { console } = await open();
    console.openTurn(4_000);
    await settle();
    expect(all("turn-hidden")).toEqual([]);
    expect(document.body.textContent).toContain("Turn #4000 could not be read");
  });

  it("stays where one scrolled to while turns come in, and says how many", async () => {
    const { host, console } = await open();
    console.openTurn(400);
    await settle();
    const before = listed();
    for (const turn of [817, 818, 819]) host.add(turn);
    host.append([]);
    await settle();
    expect(listed()).toEqual(before);
    expect(rowOf(400).getAttribute("aria-selected")).toBe("true");
    expect(note()).toBe("819 turns");
    expect(byId("turns-fresh").textContent).toContain("3 new");
    await click(byId("turns-fresh"));
    expect(listed()[0]).toBe(819);
    expect(all("turns-fresh")).toEqual([]);
  });

  it("goes by keys from turn to turn, and to the ends", async () => {
    const { console } = await open();
    rowOf(816).focus();
    await press(rowOf(816), "ArrowDown");
    expect(console.selected?.turn).toBe(815);
    await press(rowOf(815), "End");
    await vi.waitFor(() => expect(console.selected?.turn).toBe(1), { timeout: 5_000, interval: 20 });
    expect(rowOf(1).getAttribute("aria-selected")).toBe("true");
    await press(rowOf(1), "Home");
    await vi.waitFor(() => expect(console.selected?.turn).toBe(816), { timeout: 5_000, interval: 20 });
    expect(listed()[0]).toBe(816);
  });

  it("keeps its filter over a reload", async () => {
    await open();
    await type(byId("filter"), "mallory");
    await press(byId("filter"), "Enter");
    cleanup();
    await open();
    expect(listed()).toEqual([814]);
    expect((byId("filter") as HTMLInputElement).value).toBe("mallory");
  });
});

it("asks for nothing else when a turn ends: the row changes with the next frame", async () => {
  const { host } = await open();
  host.add(817, { terminal: null });
  host.append([]);
  await settle();
  host.calls.length = 0;
  host.add(817);
  host.append([]);
  await vi.waitFor(() => expect(rowOf(817).textContent).not.toContain("running"), { timeout: 200, interval: 5 });
  expect(calls(host, "turns")).toEqual([]);
});
