import { cleanup, render } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import demo from "../../recordings/demo";
import type { DemoState, Status } from "../generated/wire";
import { RecordedHost } from "../host/recorded";
import { byId, calls, click, found, layOut, press, settle, type } from "../test/stage";
import App from "./App.svelte";

beforeEach(layOut);
afterEach(cleanup);

async function open(): Promise<RecordedHost> {
  const host = new RecordedHost({ ...demo, calls: [{ name: "turns", result: [] }, ...demo.calls] });
  render(App, { props: { host } });
  await found("rate");
  return host;
}
const shown = (id: string): boolean => document.querySelector(`[data-testid="${id}"]`) !== null;

describe("the demo", () => {
  const status = demo.calls.find((c) => c.name === "status")?.result as Status;
  const state: DemoState = { phase: "playing", round: 2, rounds: 10, written: 3, messages: 13, next_round_at: null };
  const tell = async (host: RecordedHost, change: Partial<DemoState> | null): Promise<void> => {
    host.push({ push: "status", status: { ...status, demo: change === null ? null : { ...state, ...change } } });
    await settle();
  };

  it("says where it stands, as the backend tells it", async () => {
    const host = await open();
    const said = async (change: Partial<DemoState>): Promise<string | undefined> => (await tell(host, change), byId("demo").textContent?.trim());
    expect(await said({})).toBe("DEMO · round 2 of 10");
    expect(await said({ phase: "between_rounds", next_round_at: new Date(2026, 10, 21, 14, 2, 31).toISOString() })).toBe("DEMO · next round 14:02:31");
    expect(await said({ phase: "paused" })).toBe("DEMO PAUSED");
    expect(await said({ phase: "ended", round: 10 })).toBe("DEMO ENDED");
    expect(byId("demo").title).toContain("ended by itself after 10 rounds");
  });

  it("is paused and played by one button, whose name says which", async () => {
    const host = await open();
    await tell(host, {});
    expect(byId("demo-toggle").getAttribute("aria-label")).toBe("Pause the demo");
    await click(byId("demo-toggle"));
    expect(calls(host, "demo_pause")).toHaveLength(1);
    expect(byId("demo").textContent).toContain("DEMO PAUSED");
    expect(byId("demo-toggle").getAttribute("aria-label")).toBe("Play the demo");
    await click(byId("demo-toggle"));
    expect(calls(host, "demo_play")).toEqual([{ from_start: false }]);
  });

  it("is played, paused and begun again from the palette, each when it can be", async () => {
    const host = await open();
    const listed = async (): Promise<(string | undefined)[]> => {
      await press(document.body, "k", { ctrlKey: true });
      await type(byId("palette-input"), "the demo");
      return [...document.querySelectorAll(".palette-item")].map((item) => item.firstElementChild?.textContent).filter((title) => title?.endsWith("demo") || title?.includes("demo from"));
    };
    await tell(host, { phase: "ended" });
    expect(await listed()).toEqual(["Play the demo"]);
    await press(byId("palette-input"), "Enter");
    await settle();
    expect(calls(host, "demo_play")).toEqual([{ from_start: false }]);
    await tell(host, {});
    expect((await listed()).sort()).toEqual(["Pause the demo", "Play the demo from its start"]);
  });

  it("is not there where a configuration has channels of its own", async () => {
    const host = await open();
    await tell(host, null);
    expect(shown("demo")).toBe(false);
  });
});
