import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { byId, calls, click, press, settle, stage } from "../../test/stage";
import { placesOf } from "../../parts/places";
import { ColumnLayout } from "../../state/columns.svelte";
import { Prefs } from "../../state/prefs.svelte";
import LiveView from "./LiveView.svelte";
import { drawn, showEverything } from "./test/live";
import { turnColumns } from "./turnColumns";

beforeEach(showEverything);
afterEach(cleanup);

describe("the columns", () => {
  const header = (): string[] => [...document.querySelectorAll("[role='columnheader']")].map((cell) => cell.textContent?.trim() ?? "");
  const toggle = async (title: string): Promise<void> => {
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
    await toggle("Kind");
    expect(header()).not.toContain("Kind");
    expect(drawn()[0]?.querySelectorAll("[role='gridcell']")).toHaveLength(header().length);
    await click(byId("depth-decisions"));
    expect(header(), "of another depth").toContain("Kind");
    await click(byId("depth-everything"));
    expect(header()).not.toContain("Kind");
    await toggle("Reset columns");
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

it("of turns leave the question its room, and are never wider than the list, from a narrow window on", () => {
  const layout = new ColumnLayout(new Prefs(), "turns", turnColumns, true);
  for (let room = 500; room <= 2000; room += 1) {
    const columns = layout.columns(room);
    const places = placesOf(columns, room - 12, 14, 1);
    const said = places[columns.findIndex(({ id }) => id === "said")];
    const last = places.at(-1);
    expect(said?.width, `the question at ${room}`).toBeGreaterThanOrEqual(140);
    expect((last?.left ?? 0) + (last?.width ?? 0), `all of them at ${room}`).toBeLessThanOrEqual(room - 12 - 14 + 0.01);
  }
});
