import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import demo from "../../../recordings/demo";
import { byId, calls, click, press, settle, SlowHost, stage, type } from "../../test/stage";
import LiveView from "./LiveView.svelte";
import { drawn, showEverything } from "./test/live";

beforeEach(showEverything);
afterEach(cleanup);

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
    await vi.waitFor(() => expect(shift()).toBe("translateX(-120px)"), { timeout: 5_000, interval: 20 });
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
