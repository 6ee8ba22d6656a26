import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import demo from "../../../recordings/demo";
import type { EventRow } from "../../generated/wire";
import type { Args, CommandName, Result } from "../../host/host";
import { RecordedHost } from "../../host/recorded";
import { byId, calls, click, press, resize, settle, SIZE, SlowHost, stage } from "../../test/stage";
import LiveView from "./LiveView.svelte";
import { drawn, showEverything } from "./test/live";

beforeEach(showEverything);
afterEach(cleanup);

describe("the cursor of the event grid", () => {
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
    const host = new SlowHost(recording, "view_find_next");
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
