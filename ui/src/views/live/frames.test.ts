/** What the page makes anew for one frame of events, counted: as much as there is new in it. */
import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import demo from "../../../recordings/demo";
import type { ChannelCard, EventRow } from "../../generated/wire";
import { settle, stage } from "../../test/stage";
import { BoundaryHost } from "../../test/boundary";
import { rowOf } from "./cells";
import LiveView from "./LiveView.svelte";
import { drawn, showEverything } from "./test/live";

vi.mock("./cells", { spy: true });

beforeEach(showEverything);
afterEach(() => {
  cleanup();
  vi.clearAllMocks();
});

const made = (): number[] => vi.mocked(rowOf).mock.calls.map(([row]) => row.seq);

async function open(): Promise<{ host: BoundaryHost; rows: EventRow[]; console: Awaited<ReturnType<typeof stage>>["console"] }> {
  const row = demo.rows.find(({ kind, gap, channel }) => kind === "chunk" && gap === null && channel !== null) as EventRow;
  const rows = Array.from({ length: 200 }, (_, at): EventRow => ({ ...row, seq: at + 1, turn: at, summary: `text ${at}` }));
  const host = new BoundaryHost({ ...demo, rows });
  const { console } = await stage(LiveView, undefined, undefined, host);
  expect(drawn().length).toBeGreaterThan(20);
  vi.mocked(rowOf).mockClear();
  return { host, rows, console };
}

describe("a frame of events", () => {
  it("has the rows that are new made, and no other", async () => {
    const { host, rows } = await open();
    const last = rows.at(-1) as EventRow;
    host.append([]);
    await settle();
    expect(made()).toEqual([]);
    host.append([{ ...last, seq: 201 }, { ...last, seq: 202 }]);
    await settle();
    expect(made()).toEqual([201, 202]);
    expect(drawn().at(-1)?.dataset["index"]).toBe("201");
  });

  it("has a row made again that says something else now", async () => {
    const { host, rows } = await open();
    const row = rows.at(-3) as EventRow;
    row.flags = ["held"];
    row.lasted_ms = 1240;
    host.append([]);
    await settle();
    expect(made()).toEqual([198]);
    expect(drawn().at(-3)?.querySelector(".content")?.className).toContain("is-held");
  });

  it("has a row made again when its turn is marked, none for a channel that keeps its platform, and all of them for other times", async () => {
    const { host, console } = await open();
    console.marks.toggle(198);
    await settle();
    expect(made()).toEqual([199]);
    vi.mocked(rowOf).mockClear();
    host.push({ push: "channel", card: structuredClone(console.channels[0]) as ChannelCard });
    await settle();
    expect(made(), "a card that changes no platform").toEqual([]);
    console.prefs.set("delta", true);
    await settle();
    expect(new Set(made()).size).toBe(drawn().length);
  });
});
