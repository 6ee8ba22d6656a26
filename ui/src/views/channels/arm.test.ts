import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it } from "vitest";
import demo from "../../../recordings/demo";
import type { ChannelReach, Status } from "../../generated/wire";
import type { Exchange } from "../../host/recorded";
import { byId, calls, click, layOut, settle, SlowHost, stage, type } from "../../test/stage";
import ChannelsView from "./ChannelsView.svelte";
import { becomes, rateOf, spanOf } from "./reach";

beforeEach(layOut);
afterEach(cleanup);

const all = (id: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(`[data-testid="${id}"]`)];

const REACH: ChannelReach = {
  channel: "telegram",
  chats: [
    { chat: "-100", chat_type: "group", name: "Ada", people: 3, messages: 12, stopped: 0, last_at: "2026-11-21T13:00:00Z", last_text: "Is it <b>on</b>?", last_turn: 812 },
    { chat: "666", chat_type: "direct", name: "Mallory", people: 1, messages: 2, stopped: 2, last_at: "2026-11-21T12:00:00Z", last_text: "Let me in", last_turn: 700 },
  ],
  chats_total: 2, answered_total: 1, messages: 14, since: "2026-11-20T08:00:00Z",
  rates: [
    { hours: 1, turns: 4, turns_filter: "channel:telegram kind:received after:2026-11-21T12:00:00.000Z", sent: 6, sent_filter: "sent of an hour" },
    { hours: 24, turns: 60, turns_filter: "turns of a day", sent: 1, sent_filter: "sent of a day" },
  ],
  waiting: [
    { op: 9, turn: 811, kind: "send_text", chat: "-100", about: "Yes", at: "2026-11-21T12:59:00Z", fate: "sends" },
    { op: 8, turn: 810, kind: "edit_text", chat: "-100", about: "Old", at: "2026-11-21T11:00:00Z", fate: "asks" },
  ],
  waiting_total: 2, sends_total: 1,
};

const ask = async (answer: Partial<Exchange> = { result: REACH }) => {
  const window = await stage(ChannelsView, undefined, { ...demo, calls: [{ name: "channel_reach", ...answer }, ...demo.calls] });
  await click(byId("channel-telegram").querySelector("[data-testid='channel-arm']") as Element);
  return window;
};

it("shows whom an armed channel would reach, and who is rejected", async () => {
  const { host } = await ask();
  expect(calls(host, "channel_reach")).toEqual([{ channel: "telegram" }]);
  const text = byId("reach").textContent.replaceAll(/\s+/g, " ");
  expect(text).toMatch(/Directly: .*In groups: .*2 chats wrote since .*14 messages; 1 answered, the others were rejected/);
  expect(all("reach-chat").map((row) => row.textContent.replaceAll(/\s+/g, " "))).toEqual([
    expect.stringMatching(/Ada.*-100.*Is it <b>on<\/b>\?.*group · 3 writers.*12/),
    expect.stringMatching(/Mallory.*666.*rejected.*2/),
  ]);
});

it("leads from every rate to its events, and from chats and waiting operations to their turns", async () => {
  const { console } = await ask();
  await click(byId("reach-turn-1"));
  expect([console.view, console.askedFilter]).toEqual(["live", "channel:telegram kind:received after:2026-11-21T12:00:00.000Z"]);
  cleanup();
  const next = await ask();
  await click(byId("reach-message-24"));
  expect(next.console.askedFilter).toBe("sent of a day");
  cleanup();
  const chat = await ask();
  await click(all("reach-chat")[0]?.querySelector("button") as Element);
  expect([chat.console.view, chat.console.selected?.turn]).toEqual(["turn", 812]);
  cleanup();
  const waiting = await ask();
  expect(all("reach-waiting").map((li) => [li.dataset["fate"], li.textContent.includes("goes out")])).toEqual([["sends", true], ["asks", false]]);
  expect(byId("reach-sends").textContent).toContain("1 operation goes out at once");
  await click(all("reach-waiting")[0]?.querySelector("button") as Element);
  expect(waiting.console.selected?.turn).toBe(811);
});

it("does not arm before it is known whom it would reach, whatever is typed", async () => {
  const { host } = await ask({ failure: { code: "journal", message: "The journal cannot be read.", hint: "Free some space." } });
  expect(byId("reach-failure").textContent).toMatch(/cannot be read\. Free some space\..*cannot be armed now/s);
  await type(byId("confirm-word"), "telegram");
  expect((byId("confirm") as HTMLButtonElement).disabled).toBe(true);
  byId("confirm").closest("form")?.requestSubmit();
  expect(calls(host, "channel_arm")).toEqual([]);
});

it("says plainly that nobody wrote and nothing waits", async () => {
  await ask({ result: { ...REACH, chats: [], chats_total: 0, answered_total: 0, messages: 0, since: null, waiting: [], waiting_total: 0, sends_total: 0 } });
  expect(byId("reach").textContent).toMatch(/Directly: .*Nobody has written here yet.*Nothing waits in the outbox/s);
});

it("tells a mean only as a mean", () => {
  expect([rateOf(60, 24), rateOf(1, 24), rateOf(0, 24), rateOf(960, 24)]).toEqual(["2.5 an hour", "under 0.1 an hour", "0 an hour", "40 an hour"]);
  expect([spanOf(1), spanOf(24), spanOf(6)]).toEqual(["last hour", "last day", "last 6 hours"]);
  expect(becomes("stays")).toContain("a test");
});

it("counts anew when the card counts something, and keeps the old answer to be read until the new one is there", async () => {
  const answer: { -readonly [K in keyof ChannelReach]: ChannelReach[K] } = { ...REACH };
  const host = new SlowHost({ ...demo, calls: [{ name: "channel_reach", result: answer }, ...demo.calls] }, "channel_reach");
  const { console } = await stage(ChannelsView, undefined, demo, host);
  await click(byId("channel-telegram").querySelector("[data-testid='channel-arm']") as Element);
  await host.answer();
  await type(byId("confirm-word"), "telegram");
  const card = console.channel("telegram");
  if (card === undefined) throw new Error("the demonstration has telegram");
  answer.sends_total = 7;
  host.push({ push: "channel", card: { ...card, why: "it said something else" } });
  await settle();
  expect(calls(host, "channel_reach"), "nothing was counted").toHaveLength(1);
  host.push({ push: "channel", card: { ...card, counters: { ...card.counters, received: card.counters.received + 1 } } });
  await settle();
  expect(calls(host, "channel_reach")).toHaveLength(2);
  expect(byId("reach-sends").textContent).toContain("1 operation goes out at once");
  await host.answer();
  expect(byId("reach-sends").textContent).toContain("7 operations go out at once");
  expect((byId("confirm-word") as HTMLInputElement).value, "what was typed stays").toBe("telegram");
  host.push({ push: "channel", card: { ...card, counters: { ...card.counters, stopped: card.counters.stopped + 1 } } });
  await settle();
  expect(calls(host, "channel_reach"), "one was rejected").toHaveLength(3);
});

it("does not say at once of a channel that is not connected, nor while all is muted", async () => {
  const { console } = await ask();
  const card = console.channel("telegram");
  const status = demo.calls.find((c) => c.name === "status")?.result as Status;
  if (card === undefined) throw new Error("the demonstration has telegram");
  console.updateChannel({ ...card, state: "down" });
  await settle();
  expect(byId("reach-sends").textContent).toContain("1 operation goes out as soon as it is connected");
  console.status = { ...status, muted: true };
  await settle();
  expect(byId("reach-sends").textContent).toContain("out once nothing is muted any more, then as soon as it is connected");
});
