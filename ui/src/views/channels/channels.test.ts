import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it } from "vitest";
import demo from "../../../recordings/demo";
import type { ChannelCard, Status } from "../../generated/wire";
import { byId, calls, click, layOut, settle, stage, type } from "../../test/stage";
import { abilities } from "./abilities";
import ChannelsView from "./ChannelsView.svelte";
import { figures } from "./figures";

beforeEach(layOut);
afterEach(cleanup);

const within = (channel: string, id: string): HTMLElement => {
  const found = byId(`channel-${channel}`).querySelector<HTMLElement>(`[data-testid="${id}"]`);
  if (!found) throw new Error(`The card of ${channel} has no ${id}.`);
  return found;
};
const cards = demo.calls.find((c) => c.name === "channels")?.result as ChannelCard[];

it("switches a channel on and shows the state it then has", async () => {
  const { host } = await stage(ChannelsView);
  expect(within("whatsapp", "channel-state").textContent).toContain("off");
  await click(within("whatsapp", "channel-switch"));
  expect(calls(host, "channel_switch")).toEqual([{ channel: "whatsapp", on: true }]);
  expect(within("whatsapp", "channel-state").textContent).toContain("connecting");
  expect(within("whatsapp", "channel-switch").getAttribute("aria-checked")).toBe("true");
});

it("arms only for somebody who types the channel's name", async () => {
  const { host } = await stage(ChannelsView);
  await click(within("telegram", "channel-arm"));
  expect(calls(host, "channel_arm")).toEqual([]);
  const confirm = byId("confirm") as HTMLButtonElement;
  expect(confirm.disabled).toBe(true);
  await type(byId("confirm-word"), "telegra");
  expect(confirm.disabled).toBe(true);
  await type(byId("confirm-word"), "telegram");
  await click(confirm);
  expect(calls(host, "channel_arm")).toEqual([{ channel: "telegram", armed: true, confirm: "telegram" }]);
  expect(byId("toast").textContent).toMatch(/telegram is live\..*You can switch back at any time/s);
});

it("offers no arming where nothing can leave the machine", async () => {
  await stage(ChannelsView);
  expect(byId("channel-discord").querySelector("[data-testid='channel-arm']")).toBeNull();
  expect(byId("channel-discord").textContent).toContain("nothing leaves this machine");
});

it("asks once before what was held too long goes out", async () => {
  const { host } = await stage(ChannelsView);
  await click(within("whatsapp", "release-send"));
  expect(calls(host, "release_held")).toEqual([]);
  await click(byId("confirm"));
  expect(calls(host, "release_held")).toEqual([{ channel: "whatsapp", send: true }]);
  expect(byId("channel-whatsapp").querySelector("[data-testid='channel-held']")).toBeNull();
});

it("asks about messages that waited over a stop, beside deliveries and alone", async () => {
  const { console } = await stage(ChannelsView);
  const card = console.channel("whatsapp");
  if (card === undefined) throw new Error("the demonstration has whatsapp");
  const held = (): string => byId("channel-whatsapp").querySelector("[data-testid='channel-held'] p")?.textContent ?? "";
  console.updateChannel({ ...card, messages_need_consent: 1 });
  await settle();
  expect(held()).toContain("2 deliveries and 1 message waited too long");
  console.updateChannel({ ...card, needs_consent: 0, messages_need_consent: 1 });
  await settle();
  expect(held()).toContain("1 message waited too long while the channel was off or the bot was stopped. Only a person lets it go on now.");
});

it("leads from every figure to the events behind it", async () => {
  const { console } = await stage(ChannelsView);
  // The host's tests count the rows of these filters; here it is only that the window asks for them.
  console.status = { ...(demo.calls.find((c) => c.name === "status")?.result as Status), since: "2026-11-21T07:00:00Z" };
  const asked: (string | null)[] = [];
  for (const figure of figures.filter((f) => f.filter !== null)) {
    await click(within("telegram", `figure-${figure.key}`));
    asked.push(console.askedFilter);
    expect(console.view).toBe("live");
  }
  expect(asked).toEqual([
    "kind:received", "kind:stopping", "outcome:sent,unchanged -kind:typing", "outcome:dry_run -kind:typing", "outcome:unsupported -kind:typing",
    "outcome:failed,not_allowed,missing -kind:typing", "outcome:unknown is:error -kind:typing,turn_ended",
  ].map((filter) => `channel:telegram ${filter} after:2026-11-21T07:00:00Z`));
});

it("shows a card that the backend pushes", async () => {
  const { host } = await stage(ChannelsView);
  const [telegram] = cards;
  if (!telegram) throw new Error("the recording has channels");
  host.push({ push: "channel", card: { ...telegram, state: "down", why: "connection lost" } });
  await settle();
  expect(byId("channel-telegram").dataset["state"]).toBe("down");
  expect(byId("channel-telegram").textContent).toContain("connection lost");
});

it("says what a failed command means and what to do", async () => {
  await stage(ChannelsView, undefined, {
    ...demo, calls: [{ name: "channel_switch", failure: { code: "busy", message: "discord is connecting.", hint: "Wait until it is up." } }, ...demo.calls],
  });
  await click(within("discord", "channel-switch"));
  expect(byId("toast").textContent).toMatch(/discord is connecting.*Wait until it is up/s);
  expect(within("discord", "channel-switch").getAttribute("aria-checked")).toBe("true");
});

it("tells what a channel can do, what its platform cannot, and what was switched off", () => {
  const signal = cards.find((c) => c.channel === "signal");
  if (!signal) throw new Error("the recording has signal");
  const of = (name: string): unknown => abilities(signal).find((a) => a.name === name);
  expect(of("text")).toMatchObject({ can: true, how: "2,000 characters, plain text" });
  expect(of("edit")).toMatchObject({ can: false });
  expect(of("voice")).toMatchObject({ can: true, disabled: true });
});

it("asks before what waits goes out for real because a channel is switched on", async () => {
  const { host, console } = await stage(ChannelsView);
  const card = console.channel("whatsapp");
  if (card === undefined) throw new Error("the demonstration has whatsapp");
  console.updateChannel({ ...card, armed: true, simulated: false });
  await settle();
  await click(within("whatsapp", "channel-switch"));
  expect(calls(host, "channel_switch")).toEqual([]);
  // Five wait: two for a person's word, one in a rehearsal.
  expect(byId("switch-dialog").textContent).toContain("2 operations that wait go out as soon as it is connected");
  await click(byId("confirm"));
  expect(calls(host, "channel_switch")).toEqual([{ channel: "whatsapp", on: true }]);
});

it("asks nothing where all that waits is rehearsed", async () => {
  const { host, console } = await stage(ChannelsView);
  const card = console.channel("whatsapp");
  if (card === undefined) throw new Error("the demonstration has whatsapp");
  console.updateChannel({ ...card, armed: true, simulated: false, needs_consent: 0, outgoing: 0 });
  await settle();
  await click(within("whatsapp", "channel-switch"));
  expect(document.querySelector("[data-testid='switch-dialog']")).toBeNull();
  expect(calls(host, "channel_switch")).toEqual([{ channel: "whatsapp", on: true }]);
});

it("offers in the palette what can be done with each channel, by its name, as long as it is shown", async () => {
  const { host, console } = await stage(ChannelsView);
  const titles = (): string[] => console.offers.map(({ title }) => title);
  expect(titles()).toEqual(expect.arrayContaining([
    "Switch discord off", "Switch whatsapp on", "Arm telegram", "Delivery ledger of slack", "Send what was held on whatsapp", "Give up what was held on whatsapp",
  ]));
  expect(titles()).not.toContain("Arm discord");
  const run = async (title: string): Promise<void> => {
    console.offers.find((offer) => offer.title === title)?.run();
    await settle();
  };
  await run("Arm telegram");
  expect(byId("arm-dialog").textContent).toContain("Go live on telegram?");
  expect(calls(host, "channel_arm")).toEqual([]);
  await run("Switch discord off");
  expect(calls(host, "channel_switch")).toEqual([{ channel: "discord", on: false }]);
  cleanup();
  expect(titles()).toEqual([]);
});

it("gives a card that has the keyboard its keys, and the keys to the next one", async () => {
  const { host, console } = await stage(ChannelsView);
  const key = async (letter: string): Promise<void> => {
    const event = new KeyboardEvent("keydown", { key: letter, bubbles: true, cancelable: true });
    document.activeElement?.dispatchEvent(event);
    console.actions.handle(event);
    await settle();
  };
  expect(console.actions.can("channel.switch")).toBe(false);
  within("whatsapp", "channel-switch").focus();
  await settle();
  await key("s");
  expect(document.body.textContent).toContain("Send what was held on whatsapp?");
  expect(console.actions.can("channel.arm"), "it is simulated").toBe(false);
  cleanup();
  const second = await stage(ChannelsView);
  within("whatsapp", "channel-switch").focus();
  within("telegram", "channel-switch").focus();
  await settle();
  const event = new KeyboardEvent("keydown", { key: "a", bubbles: true, cancelable: true });
  document.activeElement?.dispatchEvent(event);
  second.console.actions.handle(event);
  await settle();
  expect(byId("arm-dialog").textContent).toContain("Go live on telegram?");
  expect(calls(host, "channel_switch")).toEqual([]);
});

it("has the fault deck also where no channel is configured: agents have one", async () => {
  await stage(ChannelsView, undefined, { ...demo, calls: [{ name: "channels", result: [] }, ...demo.calls] });
  expect(byId("empty").textContent).toContain("No channel is configured");
  expect(byId("faults").textContent).toContain("Fault deck");
});

it("tells an error with how often and when last, and at most three", async () => {
  const { console } = await stage(ChannelsView);
  const card = console.channel("telegram");
  if (card === undefined) throw new Error("the demonstration has telegram");
  const error = (seq: number, message: string, count = 1) => ({ at: `2026-11-21T07:00:0${seq % 10}Z`, message, hint: "Run `signal-cli daemon`", seq, count });
  const told = (): string[] => [...byId("channel-telegram").querySelectorAll("[data-testid='channel-error']")].map((row) => row.textContent?.replace(/\s+/g, " ").trim() ?? "");
  console.updateChannel({ ...card, errors: [error(5, "`signal-cli` does not listen", 5)] });
  await settle();
  expect(told()).toEqual([expect.stringMatching(/^\d\d:00:05 signal-cli does not listen\. Run signal-cli daemon ×5, last \d\d:00:05$/)]);
  expect([...byId("channel-telegram").querySelectorAll("code")].map((code) => code.textContent)).toEqual(["signal-cli", "signal-cli daemon"]);
  console.updateChannel({ ...card, errors: ["a", "b", "c", "d"].map((message, index) => error(9 - index, message)) });
  await settle();
  expect(told().map((text) => text.split(" ")[1])).toEqual(["a.", "b.", "c."]);
});
