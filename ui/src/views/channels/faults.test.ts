import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it } from "vitest";
import demo from "../../../recordings/demo";
import type { FaultDeck, FaultPlace, PlannedFault, Status } from "../../generated/wire";
import type { Exchange } from "../../host/recorded";
import { byId, calls, click, layOut, settle, stage, type } from "../../test/stage";
import { blank, does, faultOf, FOR_EVER } from "./faults";
import FaultSection from "./FaultSection.svelte";

beforeEach(layOut);
afterEach(cleanup);

const telegram: FaultPlace = { of: "channel", channel: "telegram" };
const script: FaultPlace = { of: "agent", agent: "script" };
const limited: PlannedFault = {
  planned: { number: 3, fault: { call: { op: "send_text", nth: 1, times: 2, fail: "rate_limited", latency_ms: 0 } }, met: 4, hit: 2 },
  about: "send_text 1 to 2: rate_limited", spent: true,
};
const stall: PlannedFault = {
  planned: { number: 4, fault: { run: { nth: 1, times: 1, first_byte_ms: 0, after_bytes: 0, stall_ms: 10, } }, met: 0, hit: 0 }, about: "run 1: stalls for 10 ms", spent: false,
};
const none: FaultDeck[] = [{ place: telegram, planned: [] }, { place: script, planned: [] }];
const some: FaultDeck[] = [{ place: telegram, planned: [limited] }, { place: script, planned: [stall] }];

const open = (decks: FaultDeck[], ...more: Exchange[]) =>
  stage(FaultSection, undefined, { ...demo, calls: [...more, { name: "faults", result: decks }, ...demo.calls.filter((c) => c.name !== "faults")] });
const rows = (): string[] => [...document.querySelectorAll("[data-testid='fault']")].map((row) => row.textContent?.replace(/\s+/g, " ").trim() ?? "");

async function choose(id: string, value: string): Promise<void> {
  const select = byId(id) as HTMLSelectElement;
  select.value = value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
  await settle();
}

it("shows what is planned, what is done, and what each has hit", async () => {
  await open(some);
  expect(rows()).toEqual([
    "3 done telegram send_text 1 to 2: rate_limited hit 2 of 4 calls since Remove",
    "4 planned the agent script run 1: stalls for 10 ms hit 0 of 0 runs since Remove",
  ]);
  expect(byId("faults").textContent).toContain("1 fault to come, 1 done");
});

it("says of a fault that is over and hit nothing that it missed", async () => {
  await open([{ place: telegram, planned: [{ ...limited, planned: { ...limited.planned, hit: 0 } }] }]);
  expect(rows()).toEqual(["3 missed telegram send_text 1 to 2: rate_limited hit 0 of 4 calls since Remove"]);
});

it("says before it is planned that the channel has no such call", async () => {
  const { console } = await open(none);
  const card = console.channel("telegram");
  if (card === undefined) throw new Error("the demonstration has telegram");
  console.updateChannel({ ...card, capabilities: { ...card.capabilities, edit: false, file_limit: null } });
  await click(byId("fault-plan"));
  const vain = (): string | undefined => document.querySelector("[data-testid='fault-vain']")?.textContent ?? undefined;
  expect(vain()).toBeUndefined();
  await click(byId("fault-preset-edit"));
  expect(vain()).toBe("telegram cannot edit messages: no such call comes, and the fault hits nothing.");
  await click(byId("fault-preset-big"));
  expect(vain()).toContain("telegram cannot send files");
  await click(byId("fault-preset-limited"));
  expect(vain()).toBeUndefined();
});

it("opens its dialog when it is asked from another view", async () => {
  const { console } = await open(none);
  console.planFault();
  await settle();
  expect(console.view).toBe("channels");
  expect(byId("fault-dialog").textContent).toContain("Plan a fault");
  expect(console.askedPlan).toBe(false);
});

it("leads from what it has hit to the events", async () => {
  const { console } = await open(some);
  console.status = { ...(demo.calls.find((c) => c.name === "status")?.result as Status), since: "2026-11-21T07:00:00Z" };
  await settle();
  await click(byId("fault-hits"));
  expect(console.view).toBe("live");
  expect(console.askedFilter).toBe('kind:faulted channel:telegram text:"fault 3:" after:2026-11-21T07:00:00Z');
});

it("plans a usual fault with two presses", async () => {
  const { host } = await open(none, { name: "fault_plan", result: some });
  await click(byId("fault-plan"));
  expect((byId("confirm") as HTMLButtonElement).disabled).toBe(true);
  await click(byId("fault-preset-limited"));
  expect(byId("fault-dialog").textContent).toContain("Too many requests");
  await click(byId("confirm"));
  const call = { op: "send_text", nth: 1, times: 1, fail: "rate_limited", retry_after_ms: 1500, latency_ms: 0 };
  expect(calls(host, "fault_plan")).toEqual([{ place: telegram, fault: { call } }]);
  expect(rows()).toHaveLength(2);
});

it("plans a run of an agent, byte by byte and until it is removed", async () => {
  const { host } = await open(none, { name: "fault_plan", result: some });
  await click(byId("fault-plan"));
  await choose("fault-place", "agent:script");
  await choose("fault-cut", "bytes");
  await type(byId("fault-afterBytes"), "40");
  await click(byId("fault-for-ever"));
  await click(byId("confirm"));
  const run = { nth: 1, times: FOR_EVER, first_byte_ms: 0, after_bytes: 40, stall_ms: 0, cut: "bytes" };
  expect(calls(host, "fault_plan")).toEqual([{ place: script, fault: { run } }]);
});

it("warns where a channel sends for real", async () => {
  const { console } = await open(none);
  const card = console.channel("telegram");
  if (card === undefined) throw new Error("the demonstration has telegram");
  console.updateChannel({ ...card, armed: true, simulated: false });
  await click(byId("fault-plan"));
  expect(byId("fault-live").textContent).toContain("telegram sends for real");
});

it("warns for an agent whose answers go out for real somewhere", async () => {
  const { console } = await open(none);
  const card = console.channel("telegram");
  if (card === undefined) throw new Error("the demonstration has telegram");
  await click(byId("fault-plan"));
  await choose("fault-place", "agent:script");
  expect(document.querySelector("[data-testid='fault-live']")).toBeNull();
  console.updateChannel({ ...card, armed: true, simulated: false });
  await settle();
  expect(byId("fault-live").textContent).toContain("telegram sends for real");
});

it("removes a fault, and keeps it when that fails", async () => {
  const { host } = await open(some, { name: "fault_remove", args: { number: 4 }, failure: { code: "not_found", message: "There is no planned fault 4.", hint: null } }, { name: "fault_remove", result: none });
  const buttons = document.querySelectorAll("[data-testid='fault-remove']");
  await click(buttons[1] as HTMLElement);
  expect(byId("toast").textContent).toContain("There is no planned fault 4");
  expect(rows()).toHaveLength(2);
  await click(buttons[0] as HTMLElement);
  expect(calls(host, "fault_remove")).toEqual([{ number: 4 }, { number: 3 }]);
  expect(byId("faults").textContent).toContain("No faults planned");
});

it("hears of hits as they come", async () => {
  const { host } = await open(none);
  host.push({ push: "faults", decks: some });
  await settle();
  expect(rows()).toHaveLength(2);
});

it("takes only what a form says, as whole numbers", () => {
  expect(does(telegram, blank())).toBe(false);
  expect(does(script, { ...blank(), fail: "gone" })).toBe(false);
  expect(does(telegram, { ...blank(), latencyMs: 0.2 })).toBe(false);
  const odd = faultOf(telegram, { ...blank(), latencyMs: Number.NaN, nth: -3, times: 2.4, fail: "gone", waitMs: 9 });
  expect(odd).toEqual({ call: { op: "send_text", nth: 1, times: 2, fail: "gone", latency_ms: 0 } });
});

it("keeps a plan that is refused as it was filled in, says why, and takes it when it is right", async () => {
  const refusal = { name: "fault_plan" as const, args: { place: telegram }, failure: { code: "bad_fault", message: "telegram is gone.", hint: "Choose another." } };
  const { host, console } = await open(none, refusal, { name: "fault_plan", result: some });
  await click(byId("fault-plan"));
  await click(byId("fault-preset-slow"));
  await type(byId("fault-latencyMs"), "1234");
  await click(byId("confirm"));
  expect(byId("confirm-failure").textContent).toBe("telegram is gone. Choose another.");
  expect((byId("fault-latencyMs") as HTMLInputElement).value).toBe("1234");
  expect(console.toasts).toEqual([]);
  await choose("fault-place", "agent:script");
  await click(byId("fault-preset-burst"));
  await click(byId("confirm"));
  expect(calls(host, "fault_plan")).toHaveLength(2);
  expect(document.querySelector("[data-testid='fault-dialog']")).toBeNull();
  expect(rows()).toHaveLength(2);
});

it("gives the keyboard to the next row when one is removed, and then to the button that plans", async () => {
  const one: FaultDeck[] = [{ place: telegram, planned: [] }, { place: script, planned: [stall] }];
  await open(some, { name: "fault_remove", args: { number: 3 }, result: one }, { name: "fault_remove", result: none });
  const remove = (): HTMLElement => byId("fault-remove");
  remove().focus();
  await click(remove());
  expect(rows()).toHaveLength(1);
  expect(document.activeElement).toBe(remove());
  await click(remove());
  expect(document.activeElement).toBe(byId("fault-plan"));
});

it("offers in the palette to plan a fault, and to remove each by its number", async () => {
  const { host, console } = await open(some, { name: "fault_remove", result: none });
  expect(console.offers.map(({ title }) => title)).toEqual(["Remove fault 3: send_text 1 to 2: rate_limited", "Remove fault 4: run 1: stalls for 10 ms"]);
  console.actions.run("faults.plan");
  await settle();
  expect(byId("fault-dialog").textContent).toContain("Plan a fault");
  console.offers[1]?.run();
  await settle();
  expect(calls(host, "fault_remove")).toEqual([{ number: 4 }]);
});
