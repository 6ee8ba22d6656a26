import { cleanup, render } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import demo from "../../recordings/demo";
import { RecordedHost } from "../host/recorded";
import type { ChannelCard, Status } from "../generated/wire";
import Breaking from "../test/Breaking.svelte";
import { byId, calls, click, found, layOut, press, settle, stage, type } from "../test/stage";
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

describe("the frame", () => {
  it("says what is true of the whole window", async () => {
    await open();
    expect(byId("mode").textContent).toContain("DRY RUN");
    expect(byId("rate").textContent).toContain("184 ev/s");
  });

  it("says that nothing leaves the machine where every channel is simulated", async () => {
    const host = await open();
    for (const card of demo.calls.find((c) => c.name === "channels")?.result as ChannelCard[]) {
      host.push({ push: "channel", card: { ...card, simulated: true } });
    }
    await settle();
    expect(byId("mode").textContent).toContain("SIMULATED · 5 channels");
  });

  it("says which configuration and which agent it runs", async () => {
    const host = await open();
    expect(byId("agents").textContent).toBe("script (the built-in demonstration)");
    expect(byId("configuration").title).toContain("built in");
    const status = demo.calls.find((c) => c.name === "status")?.result as Status;
    host.push({ push: "status", status: { ...status, configuration: "/etc/foldback/foldback.toml", agents: "acp (opencode)" } });
    await settle();
    expect(byId("agents").textContent).toBe("acp (opencode)");
    expect(byId("configuration").title).toContain("/etc/foldback/foldback.toml");
  });

  it("leads from unknown outcomes to exactly those that nobody has looked at", async () => {
    const host = await open();
    const status = demo.calls.find((c) => c.name === "status")?.result as Status;
    host.push({ push: "status", status: { ...status, unknown: 3, unknown_turns: [7, 9], since: "2026-11-21T07:00:00Z" } });
    await settle();
    await click(byId("unknown"));
    await found("view-live");
    await vi.waitFor(() => expect(calls(host, "view_open")).toContainEqual({ filter: "outcome:unknown is:error -kind:typing,turn_ended turn:7,9" }), { timeout: 5000 });
  });

  it("says what went wrong where nobody waited for it", async () => {
    await open();
    const event = new Event("unhandledrejection") as PromiseRejectionEvent;
    Object.assign(event, { reason: { code: "no_view", message: "There is no view 7.", hint: "Open it again." } });
    window.dispatchEvent(event);
    await settle();
    expect(byId("toast").textContent).toMatch(/There is no view 7.*Open it again/s);
  });

  it("says which channels send for real as soon as one does", async () => {
    const host = await open();
    const status = demo.calls.find((c) => c.name === "status")?.result as object;
    host.push({ push: "status", status: { ...status, armed: ["telegram"] } as never });
    await settle();
    expect(byId("mode").textContent).toContain("LIVE · telegram");
  });

  it("says for good that the journal takes nothing more, and why", async () => {
    const host = await open();
    expect(shown("stopped")).toBe(false);
    const status = demo.calls.find((c) => c.name === "status")?.result as Status;
    host.push({ push: "status", status: { ...status, stopped: "there is no room left for the journal /d/j.sqlite; free some space" } });
    await settle();
    const said = byId("stopped").textContent ?? "";
    expect(said).toContain("There is no room left for the journal /d/j.sqlite; free some space.");
    expect(said.match(/start/gi), "what to do is said once").toHaveLength(1);
  });

  it("shows a failure as a sentence, its code as code", async () => {
    const host = await open();
    host.push({ push: "alarm", alarm: { kind: "error", message: "A turn failed: `ask` is no tool.", seq: 1, turn: null } });
    await settle();
    expect(byId("toast").textContent).toContain("A turn failed: ask is no tool.");
    expect(byId("toast").querySelector("code")?.textContent).toBe("ask");
  });

  it("makes room for what it tells, and covers nothing with it", async () => {
    const host = await open();
    const told = (): Element | null => document.querySelector(".window > .told");
    expect(told()?.textContent.trim()).toBe("");
    host.push({ push: "alarm", alarm: { kind: "error", message: "slack is down.", seq: 1, turn: null } });
    await settle();
    expect(told()?.contains(byId("toast"))).toBe(true);
    expect(byId("toasts-row").contains(byId("toast")), "in a row of its own").toBe(true);
    expect(getComputedStyle(byId("toast").parentElement!).position).not.toMatch(/fixed|absolute/);
  });

  it("lays over the view what is gone in seconds, and makes no room for it", async () => {
    const host = await open();
    await press(document.body, ".", { ctrlKey: true });
    expect(byId("toasts-passing").contains(byId("toast"))).toBe(true);
    expect(byId("toast").textContent).toContain("Sending is muted.");
    expect(shown("toasts-row")).toBe(false);
    host.push({ push: "alarm", alarm: { kind: "error", message: "slack is down.", seq: 1, turn: null } });
    await settle();
    expect(byId("toasts-row").textContent).toContain("slack is down.");
    expect(byId("toasts-row").textContent).not.toContain("Sending is muted.");
    await click(byId("toasts-passing").querySelector("[aria-label='Dismiss']") as HTMLElement);
    expect(shown("toasts-passing")).toBe(false);
    expect(shown("toasts-row")).toBe(true);
  });

  it("goes from view to view by number", async () => {
    await open();
    await press(document.body, "5");
    await found("view-channels");
    await press(document.body, "1");
    await found("view-live");
    expect(shown("view-channels")).toBe(false);
  });

  it("goes from pane to pane with one key, all around, and gives a list the keyboard", async () => {
    localStorage.setItem("foldback.prefs", JSON.stringify({ depth: "everything", tour: "done" }));
    await open();
    await found("event-inspector");
    const here = (): string | null | undefined => document.activeElement?.closest("[data-pane][tabindex]")?.getAttribute("aria-label");
    const way: unknown[] = [];
    for (let i = 0; i < 4; i += 1) {
      await press(document.activeElement ?? document.body, "F6");
      way.push(here());
    }
    expect(way).toEqual(["Views", "Live events", "Event", "Views"]);
    await press(document.activeElement as Element, "F6");
    expect(document.activeElement?.closest("[data-list]")).not.toBeNull();
    await press(document.activeElement as Element, "F6", { shiftKey: true });
    expect(here()).toBe("Views");
  });

  it("mutes everything with one key", async () => {
    const host = await open();
    await press(document.body, ".", { ctrlKey: true });
    expect(calls(host, "mute")).toEqual([{ muted: true }]);
    expect(byId("muted").textContent).toContain("MUTED");
  });

  it("asks before what waits goes out for real because nothing is muted any more", async () => {
    const host = await open();
    const status = demo.calls.find((c) => c.name === "status")?.result as Status;
    const card = (demo.calls.find((c) => c.name === "channels")?.result as ChannelCard[]).find((c) => c.channel === "telegram");
    if (card === undefined) throw new Error("the demonstration has telegram");
    host.push({ push: "status", status: { ...status, muted: true } });
    const slack = { ...card, channel: "slack", armed: true, state: "down" as const, outgoing: 1 };
    host.push({ push: "channel", card: { ...card, armed: true, outgoing: 3, needs_consent: 1, counters: { ...card.counters, held: 6 } } });
    host.push({ push: "channel", card: slack });
    await settle();
    await press(document.body, ".", { ctrlKey: true });
    expect(calls(host, "mute")).toEqual([]);
    expect(byId("unmute-dialog").textContent).toContain("4 operations that wait go out for real: on telegram at once, on slack as soon as it is connected.");
    await click(byId("confirm"));
    expect(calls(host, "mute")).toEqual([{ muted: false }]);
  });

  it("asks nothing where only rehearsals and what needs a person's word wait", async () => {
    const host = await open();
    const status = demo.calls.find((c) => c.name === "status")?.result as Status;
    const card = (demo.calls.find((c) => c.name === "channels")?.result as ChannelCard[]).find((c) => c.channel === "telegram");
    if (card === undefined) throw new Error("the demonstration has telegram");
    host.push({ push: "status", status: { ...status, muted: true } });
    host.push({ push: "channel", card: { ...card, armed: true, outgoing: 0, needs_consent: 1, counters: { ...card.counters, held: 4 } } });
    await settle();
    await press(document.body, ".", { ctrlKey: true });
    expect(calls(host, "mute")).toEqual([{ muted: false }]);
  });

  it("shows an alarm that leads to its turn, and tells it politely", async () => {
    const host = await open();
    host.push({ push: "alarm", alarm: { kind: "leak", message: "8 bytes of <actions> were visible in edit 2", seq: 9, turn: 812 } });
    await settle();
    expect(byId("toast").dataset["tone"]).toBe("leaked");
    expect(byId("toast").textContent).toContain("Show turn #812");
    expect(byId("announcement").textContent).toContain("8 bytes");
  });

  it("tells of an outage no more once it was dismissed, until the channel was up again", async () => {
    const host = await open();
    const alarm = { kind: "channel_down" as const, message: "telegram went down: connection refused", seq: 9, turn: null };
    const card = (demo.calls.find((c) => c.name === "channels")?.result as ChannelCard[]).find((c) => c.channel === "telegram");
    if (card === undefined) throw new Error("the demonstration has telegram");
    host.push({ push: "alarm", alarm });
    await settle();
    await click(byId("toast").querySelector("[aria-label='Dismiss']") as HTMLElement);
    host.push({ push: "channel", card: { ...card, state: "down" } });
    host.push({ push: "alarm", alarm: { ...alarm, message: "telegram went down: no route", seq: 11 } });
    await settle();
    expect(shown("toast")).toBe(false);
    expect(byId("alarms").textContent).toBe("2 alarms");
    host.push({ push: "alarm", alarm: { ...alarm, message: "discord went down: no route", seq: 12 } });
    await settle();
    expect(byId("toast").textContent).toContain("discord went down");
    await click(byId("toast").querySelector("[aria-label='Dismiss']") as HTMLElement);
    host.push({ push: "channel", card: { ...card, state: "up" } });
    host.push({ push: "alarm", alarm: { ...alarm, seq: 15 } });
    await settle();
    expect(byId("toast").textContent).toContain("telegram went down");
  });

  it("finds in the palette to plan a fault, from every view", async () => {
    const host = await open();
    await press(document.body, "k", { ctrlKey: true });
    await type(byId("palette-input"), "plan a fault");
    const items = [...document.querySelectorAll<HTMLElement>(".palette-item")];
    expect(items[0]?.textContent).toContain("Plan a fault");
    await click(items[0] as HTMLElement);
    await found("view-channels");
    expect(calls(host, "faults").length).toBeGreaterThan(0);
  });

  it("names what was done when sending is muted or resumed, in the tray too", async () => {
    const host = await open();
    const status = demo.calls.find((c) => c.name === "status")?.result as Status;
    const last = (): string | null | undefined => [...document.querySelectorAll("[data-testid='toast']")].at(0)?.querySelector("p")?.textContent;
    await press(document.body, ".", { ctrlKey: true });
    expect(last()).toBe("Sending is muted.");
    host.push({ push: "status", status: { ...status, muted: false } });
    await settle();
    expect(last()).toBe("Sending resumed.");
    expect(shown("muted")).toBe(false);
  });

  it("has a menu of its own for the other mouse button, which copies a row", async () => {
    localStorage.setItem("foldback.prefs", JSON.stringify({ depth: "everything", tour: "done" }));
    await open();
    const copied: string[] = [];
    Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: (text: string) => (copied.push(text), Promise.resolve()) } });
    await found("events");
    const row = await vi.waitFor(() => document.querySelector<HTMLElement>("[role='row'][data-index]") ?? expect.fail("no row"), { timeout: 5000 });
    const event = new MouseEvent("contextmenu", { bubbles: true, cancelable: true, clientX: 200, clientY: 300 });
    row.dispatchEvent(event);
    await settle();
    expect(event.defaultPrevented).toBe(true);
    const items = [...byId("context-menu").querySelectorAll<HTMLElement>("[role='menuitem']")];
    expect(items.map((item) => item.textContent)).toEqual(["Copy the row", "Open a file or a link…", "Pause the demo", "Take the tour", "Search and run…"]);
    items[0]?.focus();
    await press(items[0] as Element, "Enter");
    expect(copied).toHaveLength(1);
    expect(copied[0]?.split("\t").length).toBeGreaterThan(3);
    expect(byId("toast").textContent).toContain("Copied.");
  });

  describe("a tip", () => {
    const over = async (target: Element): Promise<void> => {
      target.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
      await settle();
    };
    const tip = (): Promise<HTMLElement> => found("tip");

    it("takes the place of the browser's, of the element and of all around it, and gives the titles back", async () => {
      await open();
      const [turn, next] = [byId("rail-turn"), byId("rail-compose")];
      const nav = turn.parentElement as HTMLElement;
      nav.title = "Views";
      await over(turn);
      expect([turn.hasAttribute("title"), nav.hasAttribute("title")]).toEqual([false, false]);
      expect((await tip()).textContent).toBe("Turns (2)");
      expect(turn.getAttribute("aria-describedby")).toBe((await tip()).id);
      await over(next);
      expect([turn.title, nav.hasAttribute("title")]).toEqual(["Turns (2)", false]);
      await over(byId("rate"));
      expect([next.title, nav.title]).toEqual(["Compose (3)", "Views"]);
      expect(next.hasAttribute("aria-describedby")).toBe(false);
    });

    it("comes while a list scrolls elsewhere, and goes when what it is about does", async () => {
      await open();
      const turn = byId("rail-turn");
      await over(turn);
      byId("rate").dispatchEvent(new Event("scroll"));
      byId("rate").dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
      await tip();
      turn.parentElement?.dispatchEvent(new Event("scroll"));
      await settle();
      expect(shown("tip")).toBe(false);
    });

    it("is gone with the first press, and the browser's does not come back", async () => {
      await open();
      await over(byId("rail-turn"));
      await tip();
      byId("rail-turn").dispatchEvent(new Event("pointerdown", { bubbles: true }));
      await settle();
      expect(shown("tip")).toBe(false);
      expect(byId("rail-turn").hasAttribute("title")).toBe(false);
    });
  });

  it("counts planned faults in one case", async () => {
    const host = await open();
    const status = demo.calls.find((c) => c.name === "status")?.result as Status;
    for (const [faults, words] of [[8, "8 FAULTS PLANNED"], [1, "1 FAULT PLANNED"]] as const) {
      host.push({ push: "status", status: { ...status, faults } });
      await settle();
      expect(byId("faults-planned").textContent).toBe(words);
    }
  });

  it("keeps the alarms at hand when their toasts are gone, the newest first", async () => {
    const host = await open();
    const alarm = { kind: "error" as const, message: "A turn failed: the stream was cut.", seq: 9, turn: 812 };
    host.push({ push: "alarm", alarm });
    host.push({ push: "alarm", alarm: { ...alarm, message: "A turn failed: it took too long.", seq: 12, turn: 813 } });
    await settle();
    for (const close of document.querySelectorAll("[data-testid='toast'] [aria-label='Dismiss']")) await click(close);
    expect(shown("toast")).toBe(false);
    expect(byId("alarms").textContent).toBe("2 alarms");
    await press(byId("alarms"), "Enter");
    const items = [...document.querySelectorAll<HTMLElement>("[role='menuitem']")];
    expect(items.map((item) => item.textContent)).toEqual(["A turn failed: it took too long. #813", "A turn failed: the stream was cut. #812"]);
  });

  it("shows two toasts, a leak and the latest, and the others when they are asked for", async () => {
    const host = await open();
    const titles = (): (string | undefined)[] => [...document.querySelectorAll("[data-testid='toast']")].map((toast) => toast.querySelector("p")?.textContent);
    host.push({ push: "alarm", alarm: { kind: "leak", message: "8 bytes were visible", seq: 1, turn: 812 } });
    for (const seq of [2, 3, 4]) host.push({ push: "alarm", alarm: { kind: "error", message: `Alarm ${seq}`, seq, turn: null } });
    await settle();
    expect(titles()).toEqual(["Leak: 8 bytes were visible", "Alarm 4"]);
    expect(byId("toasts-more").textContent).toBe("2 more");
    await click(byId("toasts-more"));
    expect(titles()).toEqual(["Leak: 8 bytes were visible", "Alarm 4", "Alarm 3", "Alarm 2"]);
    for (let left = 4; left > 0; left -= 1) await click(byId("toast").querySelector("[aria-label='Dismiss']") as HTMLElement);
    expect(shown("toasts-more")).toBe(false);
  });

  it("counts every alarm, also those that it keeps no more", async () => {
    const host = await open();
    for (let seq = 1; seq <= 60; seq += 1) host.push({ push: "alarm", alarm: { kind: "error", message: `Alarm ${seq}`, seq, turn: null } });
    await settle();
    expect(byId("alarms").textContent).toBe("60 alarms");
    expect(byId("alarms").getAttribute("aria-label")).toBe("The latest 50 of 60 alarms since the window opened");
  });

  it("leads from its planned faults to the deck, which takes the keyboard", async () => {
    const host = await open();
    const status = demo.calls.find((c) => c.name === "status")?.result as Status;
    host.push({ push: "status", status: { ...status, faults: 1 } });
    await settle();
    // Who waits above the deck is read meanwhile, and must not push it out of sight again.
    const above: (boolean | undefined)[] = [];
    Element.prototype.scrollIntoView = function (this: Element) {
      if (this === byId("faults")) above.push(document.querySelector("[data-testid='pairing-request']") !== null);
    };
    await click(byId("faults-planned"));
    await found("pairing-request");
    await vi.waitFor(() => expect(above.at(-1)).toBe(true), { timeout: 5000 });
    expect(document.activeElement).toBe(byId("faults"));
    // A second press does so again.
    byId("mode").closest("button")?.focus();
    await click(byId("faults-planned"));
    expect(document.activeElement).toBe(byId("faults"));
  });

  it("says the same thing once, however often it happens", async () => {
    const host = await open();
    for (const seq of [9, 10, 11]) host.push({ push: "alarm", alarm: { kind: "leak", message: "8 bytes were visible", seq, turn: 812 } });
    await settle();
    expect(document.querySelectorAll("[data-testid='toast']")).toHaveLength(1);
    expect(byId("alarms").textContent).toBe("3 alarms");
  });

  it("leads from its badge to the channels", async () => {
    await open();
    await click(byId("mode"));
    await found("view-channels");
  });

  it("keeps a leak in the top bar, and leads to its rows", async () => {
    const host = await open();
    expect(shown("leaks")).toBe(false);
    const status = await host.call("status", {});
    host.push({ push: "status", status: { ...status, leaks: 1 } });
    await settle();
    expect(byId("leaks").textContent?.trim()).toBe("1 leak");
    await click(byId("leaks"));
    await found("view-live");
    expect(calls(host, "view_open").at(-1)).toEqual({ filter: `is:leaked after:${status.since}` });
    // It stays: a leak that happened cannot be dismissed.
    expect(shown("leaks")).toBe(true);
  });

  it("keeps the app's log in a drawer", async () => {
    await open();
    await press(document.body, "j", { ctrlKey: true });
    expect((await found("log-drawer")).textContent).toContain("not_allowed (file does not exist)");
  });
});

describe("the palette", () => {
  it("does any action by name", async () => {
    await open();
    await press(document.body, "k", { ctrlKey: true });
    expect(shown("palette")).toBe(true);
    await type(byId("palette-input"), "Theme: light");
    await press(byId("palette-input"), "Enter");
    await settle();
    expect(shown("palette")).toBe(false);
    expect(document.documentElement.dataset["scheme"]).toBe("light");
  });
});

it("lists in the palette what is on the screen", async () => {
  await open();
  await press(document.body, "5");
  await found("view-channels");
  await found("channel-telegram");
  await press(document.body, "k", { ctrlKey: true });
  await type(byId("palette-input"), "arm telegram");
  await press(byId("palette-input"), "Enter");
  await settle();
  expect(byId("arm-dialog").textContent).toContain("Go live on telegram?");
});

describe("the key sheet", () => {
  it("shows every action from the table and gives one another key", async () => {
    await open();
    await press(document.body, "?");
    const change = [...byId("key-sheet").querySelectorAll<HTMLElement>("button")].find((b) => b.getAttribute("aria-label") === "Change the key of Channels");
    await click(change as Element);
    await press(document.body, "4");
    expect(byId("key-sheet").textContent).toContain("taken by “Fixtures”");
    await press(document.body, "0");
    await press(document.body, "Escape");
    await press(document.body, "0");
    await found("view-channels");
    expect(JSON.parse(localStorage.getItem("foldback.prefs") ?? "{}")).toMatchObject({ keys: { "view.channels": ["0"] } });
  });
});

it("shows a card where a panel fails, leaves its neighbours alone, and shows it again", async () => {
  await stage(Breaking);
  await click(byId("break"));
  expect(byId("panel-error").textContent).toContain("the ledger has no first line");
  expect(byId("neighbour").textContent).toBe("lives on");
  await click(byId("repair"));
  await click(byId("panel-error").querySelector("button") as Element);
  expect(byId("break").textContent).toBe("as usual");
});

it("is themed before it is seen", async () => {
  await open();
  expect(document.documentElement.dataset["scheme"]).toBeDefined();
  expect(document.documentElement.style.getPropertyValue("--surface-0")).toMatch(/^#[0-9a-f]{6}$/);
});
