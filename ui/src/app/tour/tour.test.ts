import { cleanup, render } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import demo from "../../../recordings/demo";
import { demoTopics } from "../../generated/closed";
import type { DemoState, DemoStop, DemoTopic, Status } from "../../generated/wire";
import type { Args, CommandName, Result } from "../../host/host";
import { Prefs } from "../../state/prefs.svelte";
import { byId, calls, click, found, layOut, press, settle, type } from "../../test/stage";
import { SampleHost } from "../../views/turn/test/host";
import { sampleTurn } from "../../views/turn/test/sample";
// The window loads the view when it is first shown; here that would count as time of the first test.
import "../../views/turn/TurnView.svelte";
import App from "../App.svelte";

beforeEach(() => {
  layOut();
  localStorage.clear();
});
afterEach(cleanup);

const shown = (id: string): boolean => document.querySelector(`[data-testid="${id}"]`) !== null;
const status = demo.calls.find((c) => c.name === "status")?.result as Status;
const HELD = sampleTurn().decisions.find((d) => d.kind === "hold")?.seq ?? 0;
const STRIPPED = sampleTurn().decisions.find((d) => d.kind === "directive")?.seq ?? 0;
const END = sampleTurn().head;
/** The turns that the demo comes to. */
const TURNS: Readonly<Record<DemoTopic, { turn: number; seq: number }>> = {
  held: { turn: 812, seq: HELD }, stripped: { turn: 812, seq: STRIPPED }, rate_limited: { turn: 813, seq: END }, silent: { turn: 815, seq: END }, failed: { turn: 814, seq: 4 },
};

/** A backend whose demo has come to the stops that it is told. */
class DemoHost extends SampleHost {
  readonly #reached = new Set<DemoTopic>();
  #figures: Status = { ...status, demo: { phase: "playing", round: 1, rounds: 10, written: 0, messages: 12, next_round_at: null }, running: 0 };

  override async call<K extends CommandName>(name: K, args: Args<K>): Promise<Result<K>> {
    if (name === "status") return (this.calls.push({ name, args }), this.#figures as Result<K>);
    if (name !== "demo_stops") return super.call(name, args);
    this.calls.push({ name, args });
    const stops = demoTopics.map(({ code }): DemoStop => ({ topic: code, ...(this.#reached.has(code) ? TURNS[code] : { turn: null, seq: null }) }));
    await new Promise((resolve) => setTimeout(resolve));
    return stops as Result<K>;
  }

  /** Has the demo come to stops, and tells the window so. */
  async reach(...topics: DemoTopic[]): Promise<void> {
    for (const topic of topics) this.#reached.add(topic);
    await this.tell({ written: (this.#figures.demo?.written ?? 0) + 1 });
  }

  async tell(change: Partial<DemoState> | null): Promise<void> {
    const { demo: state } = this.#figures;
    this.#figures = { ...this.#figures, demo: change === null || state === null ? null : { ...state, ...change } };
    this.push({ push: "status", status: this.#figures });
    await settle();
  }

  asked = (): number => calls(this, "demo_stops").length;
}

async function open(prepare: (host: DemoHost) => Promise<void> = () => Promise.resolve()): Promise<DemoHost> {
  const host = new DemoHost();
  await prepare(host);
  render(App, { props: { host } });
  await found("rate");
  await settle();
  return host;
}
const words = (): string => byId("tour-words").textContent ?? "";
const callout = async (title: string): Promise<string> => {
  await vi.waitFor(() => expect(byId("tour-callout").textContent).toContain(title), { timeout: 20_000 });
  return byId("tour-callout").textContent ?? "";
};
/** Runs what stands first in the palette. */
async function command(text: string): Promise<void> {
  await press(document.body, "k", { ctrlKey: true });
  await type(byId("palette-input"), text);
  await press(byId("palette-input"), "Enter");
  await settle();
}

describe("a first start with the demo", () => {
  it("opens the first stop when its turn has ended, at its event, with three callouts one after another", async () => {
    const host = await open();
    expect(byId("tour").dataset["topic"]).toBe("held");
    expect(words()).toContain("The demo has not come to it yet.");
    expect(shown("tour-callout")).toBe(false);
    expect(shown("view-live")).toBe(true);

    await host.reach("held");
    await found("view-turn");
    await callout("What the user sees");
    expect(calls(host, "turn_at")).toContainEqual(expect.objectContaining({ turn: 812, seq: HELD }));
    expect(byId("tour-callout").dataset["about"]).toBe('[data-testid="chat"] > *');
    expect(byId("tour-callout").textContent).toContain("1 of 3");
    expect(shown("tour-ring")).toBe(true);
    await vi.waitFor(() => expect(document.activeElement).toBe(byId("tour-callout-next")), { timeout: 5000 });
    await click(byId("tour-callout-next"));
    await callout("What is held");
    await click(byId("tour-callout-next"));
    expect(await callout("Why it is held")).toContain("3 of 3");
    expect(byId("tour-callout-next").textContent?.trim()).toBe("Got it");
    await click(byId("tour-callout-next"));
    expect(shown("tour-callout")).toBe(false);
    expect(document.activeElement).toBe(byId("tour-next"));
  });

  it("leaves those where they are who went elsewhere meanwhile, and offers the stop", async () => {
    const host = await open();
    await click(byId("rail-compose"));
    await host.reach("held");
    expect(shown("view-turn")).toBe(false);
    expect(words()).not.toContain("not come to it");
    await click(byId("tour-show"));
    await callout("What the user sees");
    expect(shown("tour-show")).toBe(false);
  });

  it("asks for the stops when a message came in or a turn ended, and no more once one was found", async () => {
    const host = await open();
    const first = host.asked();
    await host.tell({});
    await host.tell({});
    expect(host.asked()).toBe(first);
    await host.reach("held");
    expect(host.asked()).toBe(first + 1);
    await host.tell({ written: 9 });
    expect(host.asked()).toBe(first + 1);
  });

  it("asks again where a turn ended while it was answered", async () => {
    const host = await open();
    const before = host.asked();
    // One push after the other: the first question is not answered yet.
    void host.tell({ written: 7 });
    await host.reach("held");
    expect(host.asked()).toBe(before + 2);
    await callout("What the user sees");
  });

  it("keeps its words from a moment they are not true of", async () => {
    const host = await open();
    await host.reach("held");
    await callout("What the user sees");
    byId("raw-text").dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true, cancelable: true }));
    await settle();
    expect(shown("tour-callout")).toBe(false);
  });

  it("skips the callouts on Escape, but not where a person writes", async () => {
    const host = await open();
    await host.reach("held");
    await callout("What the user sees");
    const field = document.querySelector<HTMLInputElement>("[data-testid='turns'] input") ?? expect.fail("no filter");
    await press(field, "Escape");
    expect(shown("tour-callout")).toBe(true);
    await press(byId("tour-callout-next"), "Escape");
    expect(shown("tour-callout")).toBe(false);
    expect(byId("tour").dataset["topic"]).toBe("held");
  });
});

describe("the tour", () => {
  it("goes to five stops, each by one click, and ends after the last", async () => {
    const host = await open((host) => host.reach("held", "stripped", "rate_limited", "silent", "failed"));
    await callout("What the user sees");
    for (const [index, { code, about }] of demoTopics.slice(1).entries()) {
      await click(byId("tour-next"));
      expect(byId("tour").dataset["topic"]).toBe(code);
      expect(byId("tour").textContent).toContain(`${index + 2} of 5`);
      expect(words()).toContain(about);
      await vi.waitFor(() => expect(calls(host, "turn_at")).toContainEqual(expect.objectContaining(TURNS[code])), { timeout: 20_000 });
    }
    expect(byId("tour-next").textContent?.trim()).toBe("Finish");
    await click(byId("tour-stop-stripped"));
    expect(byId("tour").dataset["topic"]).toBe("stripped");
    await click(byId("tour-stop-failed"));
    await click(byId("tour-next"));
    expect(shown("tour")).toBe(false);
    expect(new Prefs().get("tour")).toBe("done");
  });

  it("says that the demo has not come to a stop, skips it, and opens the next by itself when it comes", async () => {
    const host = await open((host) => host.reach("held"));
    await callout("What the user sees");
    await click(byId("tour-next"));
    expect(words()).toBe("Stripped A directive is taken out of the text and acted on. The demo has not come to it yet.");
    expect(byId("tour-next").textContent?.trim()).toBe("Skip this");
    await click(byId("tour-next"));
    expect(byId("tour").dataset["topic"]).toBe("rate_limited");
    await host.reach("rate_limited");
    await vi.waitFor(() => expect(calls(host, "turn_at")).toContainEqual(expect.objectContaining(TURNS.rate_limited)), { timeout: 20_000 });
    expect(byId("tour-next").textContent?.trim()).toBe("Next: Silent");
  });

  it("says that a demo rests which it waits for, and plays it", async () => {
    const host = await open();
    await host.tell({ phase: "paused" });
    expect(words()).toContain("The demo has not come to it yet, and is paused.");
    await click(byId("tour-play"));
    expect(calls(host, "demo_play")).toHaveLength(1);
  });

  it("is gone for good once ended, until the palette begins it anew", async () => {
    await open((host) => host.reach("held"));
    await callout("What the user sees");
    await click(byId("tour-end"));
    expect(shown("tour")).toBe(false);
    expect(shown("tour-callout")).toBe(false);
    cleanup();
    sessionStorage.clear();

    const host = await open((host) => host.reach("held"));
    expect(shown("tour")).toBe(false);
    expect(host.asked()).toBe(0);
    await command("take the tour");
    expect(byId("tour").dataset["topic"]).toBe("held");
    await callout("What the user sees");
  });

  it("stands at its stop after a reload, and moves nothing by itself", async () => {
    await open((host) => host.reach("held", "stripped"));
    await callout("What the user sees");
    await click(byId("tour-next"));
    await click(byId("rail-live"));
    cleanup();

    await open((host) => host.reach("held", "stripped"));
    expect(byId("tour").dataset["topic"]).toBe("stripped");
    expect(shown("view-live")).toBe(true);
    await click(byId("tour-show"));
    await found("view-turn");
  });

  it("goes back to the event of a stop whose turn is open already", async () => {
    await open((host) => host.reach("held"));
    await callout("What the user sees");
    byId("raw-text").dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true, cancelable: true }));
    await settle();
    await click(byId("tour-stop-held"));
    await callout("What the user sees");
  });

  it("never opens where there is no demo, and says why there", async () => {
    const host = await open(async (host) => host.tell(null));
    await host.reach("held");
    expect(shown("tour")).toBe(false);
    expect(host.asked()).toBe(0);
    await command("take the tour");
    expect(byId("toast").textContent).toMatch(/The tour needs the demo.*Start Foldback without a foldback\.toml/s);
    expect(shown("tour")).toBe(false);
  });
});
