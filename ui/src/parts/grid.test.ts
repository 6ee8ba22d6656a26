/** What the grid does to the document for one frame, counted: a row that is drawn again must cost only what differs. */
import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import demo from "../../recordings/demo";
import type { EventRow, TurnSummary } from "../generated/wire";
import { BoundaryHost } from "../test/boundary";
import { countLayout } from "../test/layoutReads";
import { byId, layOut, settle, SIZE, stage } from "../test/stage";
import LiveView from "../views/live/LiveView.svelte";
import { SampleHost } from "../views/turn/test/host";

/** More turns than fit, and one more each time. */
class GrowingHost extends SampleHost {
  count = 60;

  protected override turns(): TurnSummary[] {
    const [turn] = super.turns();
    return Array.from({ length: this.count }, (_, at) => ({ ...(turn as TurnSummary), turn: at + 1, user_text: `Question ${at + 1}` }));
  }

  grow(): void {
    this.count += 1;
    this.append([]);
  }
}

beforeEach(layOut);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const depth = (chosen: string, newestFirst = false): void => localStorage.setItem("foldback.prefs", JSON.stringify({ depth: chosen, columns: { [chosen]: { newestFirst } } }));
const drawn = (id: string): Element[] => [...byId(id).querySelectorAll("[data-index]")];

it.each([
  ["decisions", "the oldest first", false], ["everything", "the oldest first", false], ["decisions", "the newest first", true], ["everything", "the newest first", true],
])("has the row of %s that left come in again with the next one, %s, and touches no other", async (chosen, _, newestFirst) => {
  depth(chosen, newestFirst);
  const row = demo.rows.find(({ kind, gap }) => kind === "chunk" && gap === null) as EventRow;
  const rows = Array.from({ length: 500 }, (_, n): EventRow => ({ ...row, seq: n + 1, summary: `text ${n} -kind:idle,passed -reason:trailing_space` }));
  const { host } = await stage(LiveView, undefined, { ...demo, rows });
  await settle();
  const before = drawn("events");
  expect(before.length).toBeGreaterThan(20);
  const attributes = vi.spyOn(Element.prototype, "setAttribute");
  const listeners = vi.spyOn(EventTarget.prototype, "addEventListener");
  const records: MutationRecord[] = [];
  const observer = new MutationObserver((more) => records.push(...more));
  for (const element of before) observer.observe(element, { attributes: true, characterData: true, childList: true, subtree: true });
  host.append([{ ...row, seq: 501, summary: "the next one" }]);
  await settle();
  const left = before.at(newestFirst ? -1 : 0);
  const stayed = before.filter((line) => line !== left);
  expect(left?.textContent).toContain("the next one");
  expect(drawn("events"), "no row is made anew, and they stand in order").toEqual(newestFirst ? [left, ...stayed] : [...stayed, left]);
  expect(records.filter(({ target }) => !left?.contains(target)), "nothing changes in a row that stays").toEqual([]);
  expect(records.filter(({ type }) => type === "childList"), "nothing is put into a row or taken out of it").toEqual([]);
  const inRows = attributes.mock.contexts.filter((element) => before.some((line) => line.contains(element as Element)));
  expect(inRows.length, "only the row's two numbers change").toBeLessThanOrEqual(2);
  expect(listeners.mock.contexts.filter((target) => target instanceof Element && before.some((line) => line.contains(target))), "listeners").toEqual([]);
  observer.disconnect();
});

it("leaves a row of turns that is as it was alone", async () => {
  depth("turns");
  const { host } = await stage(LiveView, undefined, undefined, new SampleHost());
  const before = drawn("turn-list");
  expect(before.length).toBeGreaterThan(3);
  const attributes = vi.spyOn(Element.prototype, "setAttribute");
  const listeners = vi.spyOn(EventTarget.prototype, "addEventListener");
  host.append([]);
  await settle();
  const inRows = (targets: readonly unknown[]): unknown[] => targets.filter((target) => target instanceof Element && before.some((line) => line.contains(target)));
  expect(inRows(attributes.mock.contexts), "attributes").toEqual([]);
  expect(inRows(listeners.mock.contexts), "listeners").toEqual([]);
});

it.each([["newest", true], ["oldest", false]])("has a turn that comes in take the place of the one that left, the %s first, and draws no other again", async (_, newestFirst) => {
  depth("turns", newestFirst);
  const host = new GrowingHost();
  await stage(LiveView, undefined, undefined, host);
  const before = drawn("turn-list");
  expect(before.length).toBeGreaterThan(10);
  const records: MutationRecord[] = [];
  const observer = new MutationObserver((more) => records.push(...more));
  for (const element of before) observer.observe(element, { attributes: true, characterData: true, childList: true, subtree: true });
  host.grow();
  await settle();
  observer.disconnect();
  const left = before.at(newestFirst ? -1 : 0);
  const stayed = before.filter((line) => line !== left);
  expect(drawn("turn-list"), "the nodes stand in order").toEqual(newestFirst ? [left, ...stayed] : [...stayed, left]);
  expect(left?.textContent).toContain(`#${host.count}`);
  const others = records.filter(({ target }) => !left?.contains(target));
  expect(others.filter(({ attributeName }) => attributeName !== "aria-rowindex"), "rows that stay").toEqual([]);
  expect(others.length, "their numbers for a screen reader, where they are counted from above").toBe(newestFirst ? stayed.length : 0);
});

describe("frame after frame, nothing asks the page where anything is", () => {
  const many = (from: number, length: number): EventRow[] => {
    const row = demo.rows.find(({ kind, gap }) => kind === "chunk" && gap === null) as EventRow;
    return Array.from({ length }, (_, n): EventRow => ({ ...row, seq: from + n, summary: `text ${from + n} -kind:idle,passed -reason:trailing_space` }));
  };
  /** Questions to the layout during some frames, each with an event more. */
  async function asked(host: SampleHost | BoundaryHost, seqs: readonly number[]): Promise<string[]> {
    const counting = countLayout();
    for (const seq of seqs) {
      host.append(many(seq, 1));
      await settle(3);
    }
    counting.stop();
    return counting.asked;
  }
  /** So many that a few more move the bar by less than a px. */
  const LONG = 20_000;
  const next = Array.from({ length: 8 }, (_, n) => LONG + 1 + n);

  it.each([["the oldest first", false], ["the newest first", true]])("while it follows, %s", async (_, newestFirst) => {
    depth("everything", newestFirst);
    const { host } = await stage(LiveView, undefined, undefined, new BoundaryHost({ ...demo, rows: many(1, LONG) }));
    byId("following");
    expect(await asked(host as BoundaryHost, next)).toEqual([]);
    expect(drawn("events").at(newestFirst ? 0 : -1)?.textContent).toContain(`text ${LONG + 8}`);
  });

  it.each([["the oldest first", false], ["the newest first", true]])("while one looks at what was before, %s", async (_, newestFirst) => {
    depth("everything", newestFirst);
    const { host } = await stage(LiveView, undefined, undefined, new BoundaryHost({ ...demo, rows: many(1, LONG) }));
    const wheel = new WheelEvent("wheel", { deltaY: newestFirst ? 2400 : -2400, bubbles: true, cancelable: true });
    byId("events").querySelector("[data-index]")?.dispatchEvent(wheel);
    await settle();
    byId("follow");
    const before = drawn("events").map(({ textContent }) => textContent);
    expect(await asked(host as BoundaryHost, next)).toEqual([]);
    expect(drawn("events").map(({ textContent }) => textContent)).toEqual(before);
    expect(byId("fresh").textContent).toContain("8 new");
  });

  it("while the rows are turns", async () => {
    depth("turns", true);
    const host = new GrowingHost();
    await stage(LiveView, undefined, undefined, host);
    expect(await asked(host, next)).toEqual([]);
  });

  it("but the bar goes along when it is a px of its thumb behind, and is not asked", async () => {
    depth("everything", false);
    const { host } = await stage(LiveView, undefined, undefined, new BoundaryHost({ ...demo, rows: many(1, 500) }));
    const bar = byId("events").querySelector("[data-scrollbar]") as HTMLElement;
    const counting = countLayout();
    host.append(many(501, 200));
    await settle();
    counting.stop();
    expect(counting.asked).toEqual(["scrollTop ="]);
    expect(bar.scrollTop + SIZE.height).toBe(Number.parseFloat((bar.firstElementChild as HTMLElement).style.height));
  });
});
