import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it } from "vitest";
import demo from "../../../recordings/demo";
import type { DeadTarget, DeliveryState } from "../../generated/wire";
import type { Exchange } from "../../host/recorded";
import { byId, calls, click, layOut, stage } from "../../test/stage";
import DeliverySection from "./DeliverySection.svelte";

beforeEach(layOut);
afterEach(cleanup);

const at = "2026-11-29T12:00:00.000Z";
const blocked: DeadTarget = { channel: "telegram", target: { chat: "42", thread: null }, refusal: "forbidden", detail: "bot was blocked by the user", since: at, refused: 3 };
const thread: DeadTarget = { channel: "slack", target: { chat: "C1\u202e", thread: "t\u200b9" }, refusal: "gone", detail: "", since: at, refused: 0 };
const some: DeliveryState = {
  dead: [blocked, thread],
  window_ms: 3_600_000,
  total: { used: 61, limit: 600, next_free: at },
  requesters: [
    { channel: "telegram", requester: "7", name: "Alice", budget: { used: 60, limit: 60, next_free: at } },
    { channel: "telegram", requester: "Bob", name: "Bob", budget: { used: 1, limit: 60, next_free: at } },
  ],
};

const open = (state: DeliveryState, ...more: Exchange[]) =>
  stage(DeliverySection, undefined, { ...demo, calls: [...more, { name: "delivery_state", result: state }, ...demo.calls.filter((c) => c.name !== "delivery_state")] });
const all = (id: string): Element[] => [...document.querySelectorAll(`[data-testid='${id}']`)];

it("shows which chats take nothing more, with the reason and what was refused", async () => {
  await open(some);
  expect(byId("deliveries").textContent).toContain("2 chats take nothing more, 61 of 600 deliveries in 1 h");
  expect(all("dead-target")[0]?.textContent).toMatch(/dead\s*telegram 42\s*forbidden: bot was blocked by the user\s*since .*, 3 requests refused since the start/);
  // A chat's id may come from anywhere: nothing in it hides.
  expect(all("dead-target")[1]?.textContent).not.toMatch(/[\u200b\u202e]/);
});

it("shows how much of the budgets is used, and until when a full one refuses", async () => {
  await open(some);
  expect(byId("budget-total").textContent).toMatch(/everyone deliveries\.total\s*61 \/ 600\s*the oldest counts until \d\d:\d\d:\d\d/);
  const [alice, bob] = all("budget-requester");
  expect(alice?.textContent).toMatch(/telegram Alice 7\s*60 \/ 60\s*full, free again at \d\d:\d\d:\d\d/);
  expect(bob?.textContent).toMatch(/telegram Bob\s*1 \/ 60\s*the oldest counts until/);
});

it("counts the people whose budgets are not shown, and one of them as one", async () => {
  const [first] = some.requesters;
  if (first === undefined) throw new Error("no requester");
  const people = (length: number) => Array.from({ length }, (_, at) => ({ ...first, requester: String(at) }));
  await open({ ...some, requesters: people(6) });
  expect(byId("deliveries").textContent).toContain("1 more person below that");
});

it("tells of several as people, and of a limit of one as one delivery", async () => {
  const [first] = some.requesters;
  if (first === undefined) throw new Error("no requester");
  const people = Array.from({ length: 8 }, (_, at) => ({ ...first, requester: String(at) }));
  await open({ ...some, dead: [], total: { used: 1, limit: 1 }, requesters: people });
  expect(byId("deliveries").textContent).toContain("3 more people below that");
  expect(byId("deliveries").textContent).toContain("1 of 1 delivery in 1 h");
  expect(byId("budget-total").textContent).toMatch(/full\s*$/);
});

it("accepts deliveries to a chat again, after a question", async () => {
  const { host } = await open(some, { name: "dead_target_revive", result: [thread] });
  await click(all("dead-target-revive")[0] as HTMLElement);
  expect(calls(host, "dead_target_revive")).toEqual([]);
  expect(byId("revive-dialog").textContent).toMatch(/Accept deliveries to .*42.* again\?/);
  expect(byId("revive-dialog").textContent).toContain("Deliveries refused until then are not sent later.");
  await click(byId("confirm"));
  expect(calls(host, "dead_target_revive")).toEqual([{ channel: "telegram", chat: "42" }]);
  expect(all("dead-target").map((row) => row.getAttribute("data-chat"))).toEqual(["C1\u202e"]);
});

it("says so where every chat takes deliveries and none was made", async () => {
  await open({ dead: [], window_ms: 3_600_000, total: { used: 0, limit: 600 }, requesters: [] });
  expect(byId("deliveries").textContent).toContain("Every chat takes deliveries, and none was made within 1 h.");
});
