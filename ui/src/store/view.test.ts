import { describe, expect, it } from "vitest";
import type { EventRow } from "../generated/wire";
import { RecordedHost } from "../host/recorded";
import { JournalView } from "./view";

const row = (seq: number, kind = "chunk"): EventRow => ({
  seq, at: "2026-11-21T13:02:31.482Z", turn: 1, channel: "telegram", session: null, stage: "run", kind, summary: `event ${seq}`, bytes: null, lasted_ms: null, flags: [], gap: null,
});
const rows = (from: number, n: number): EventRow[] => Array.from({ length: n }, (_, i) => row(from + i));
const settled = async (): Promise<void> => {
  for (let i = 0; i < 12; i += 1) await new Promise((resolve) => setTimeout(resolve));
};

/** Draws when the test says so, as a page draws when the screen does. */
class Screen {
  #waiting: (() => void)[] = [];
  schedule = (draw: () => void): void => void this.#waiting.push(draw);
  refresh(): void {
    for (const draw of this.#waiting.splice(0)) draw();
  }
}

function setup(n = 1000): { host: RecordedHost; screen: Screen; view: JournalView } {
  const host = new RecordedHost({ rows: rows(1, n), calls: [], pushes: [] });
  const screen = new Screen();
  return { host, screen, view: new JournalView(host, screen.schedule) };
}

const acks = (host: RecordedHost): unknown[] => host.calls.filter((c) => c.name === "view_ack").map((c) => c.args);

describe("a window over the journal", () => {
  it("holds the rows on the screen and no others", async () => {
    const { view, screen } = setup();
    view.window(0, 40);
    await view.open("");
    await settled();
    screen.refresh();
    expect(view.frame?.length).toBe(1000);
    expect(view.frame?.rows).toHaveLength(40);
    expect(view.frame?.rows.at(-1)?.seq).toBe(1000);
  });

  it("draws once a refresh however much came, and acknowledges only what was drawn", async () => {
    const { host, screen, view } = setup();
    let drawn = 0;
    await view.open("");
    await settled();
    screen.refresh();
    await settled();
    screen.refresh();
    view.listen(() => (drawn += 1));
    const before = acks(host).length;
    for (let i = 0; i < 50; i += 1) host.append(rows(1001 + i, 1));
    await settled();
    expect(drawn).toBe(0);
    screen.refresh();
    expect(drawn).toBe(1);
    expect(acks(host).length - before).toBe(1);
  });

  it("gets one frame a refresh where more could come, and draws the latest", async () => {
    const { host, screen, view } = setup();
    let received = 0;
    await view.open("");
    host.subscribe({ topic: "view", view: 1 }, (push) => void (received += Number(push.push === "frame")));
    await settled();
    received = 0;
    for (let refresh = 0; refresh < 20; refresh += 1) {
      for (let i = 0; i < 3; i += 1) host.append(rows(1001 + 3 * refresh + i, 1));
      await settled();
      screen.refresh();
      await settled();
    }
    expect(received).toBeGreaterThan(10);
    expect(received).toBeLessThanOrEqual(21);
    screen.refresh();
    await settled();
    screen.refresh();
    expect(view.frame?.length).toBe(1060);
  });

  it("gets no more than two frames ahead of a page that does not draw", async () => {
    const { host, view } = setup();
    const received: number[] = [];
    await view.open("");
    host.subscribe({ topic: "view", view: 1 }, (push) => push.push === "frame" && received.push(push.frame.serial));
    await settled();
    for (let i = 0; i < 50; i += 1) host.append(rows(1001 + i, 1));
    await settled();
    expect(acks(host)).toHaveLength(0);
    expect(new Set(received).size).toBeLessThanOrEqual(2);
  });

  it("counts what came since it left the end", async () => {
    const { host, screen, view } = setup(10);
    await view.open("");
    await settled();
    screen.refresh();
    view.follow(false);
    await settled();
    screen.refresh();
    expect(view.fresh).toBe(0);
    host.append(rows(11, 42));
    await settled();
    screen.refresh();
    expect(view.fresh).toBe(42);
    view.follow(true);
    expect(view.fresh).toBe(0);
  });

  it("counts nothing as new that was there before its first frame", async () => {
    const { screen, view } = setup(10);
    view.follow(false);
    await view.open("");
    await settled();
    screen.refresh();
    expect(view.frame?.length).toBe(10);
    expect(view.fresh).toBe(0);
  });

  it("asks once for the latest wish while a request is under way", async () => {
    const { host, view } = setup();
    await view.open("");
    view.follow(false);
    for (let first = 1; first <= 100; first += 1) view.window(first, 40);
    await settled();
    const asked = host.calls.filter((c) => c.name === "view_window");
    expect(asked.length).toBeLessThanOrEqual(2);
    expect(asked.at(-1)?.args).toMatchObject({ first: 100, count: 40, follow: false });
  });

  it("closes the old window when another filter opens, and ignores its late frames", async () => {
    const { host, screen, view } = setup();
    await view.open("");
    await settled();
    await view.open("event 12");
    await settled();
    screen.refresh();
    expect(host.calls.filter((c) => c.name === "view_close").map((c) => c.args)).toEqual([{ view: 1 }]);
    expect(view.frame?.view).toBe(2);
    expect(view.frame?.rows.every((r) => r.summary.startsWith("event 12"))).toBe(true);
  });

  it("keeps only the last of several filters opened at once", async () => {
    const { host, view } = setup();
    await Promise.all([view.open("a"), view.open("event 7"), view.open("event 9")]);
    await settled();
    expect(view.filter).toBe("event 9");
    expect(host.calls.filter((c) => c.name === "view_close")).toHaveLength(2);
  });
});

describe("the nearest event that matches", () => {
  it("is asked of the backend in both directions, without another window", async () => {
    const host = new RecordedHost({ rows: rows(1, 300).map((r) => (r.seq % 100 === 0 ? { ...r, summary: "is:error" } : r)), calls: [], pushes: [] });
    const view = new JournalView(host, (draw) => draw());
    expect(await view.findNext("is:error", 1, 1)).toBeNull();
    await view.open("");
    expect(await view.findNext("is:error", 150, 1)).toBe(199);
    expect(await view.findNext("is:error", 150, -1)).toBe(99);
    expect(await view.findNext("is:error", 200, -1)).toBe(99);
    expect(await view.findNext("is:error", 300, 1)).toBeNull();
    expect(await view.findNext("is:error", 100, -1)).toBeNull();
    const named = (name: string): number => host.calls.filter((call) => call.name === name).length;
    expect([named("view_open"), named("view_find_next")]).toEqual([1, 5]);
  });
});
