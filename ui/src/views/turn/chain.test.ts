import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import demo from "../../../recordings/demo";
import type { ActionChain, ChainAction, ChainStep, ChainStepKind, ChainTurn, TurnDetail } from "../../generated/wire";
import type { Args, CommandName, Result } from "../../host/host";
import { byId, calls, click, layOut, settle, stage } from "../../test/stage";
import { groupsOf } from "./model/chain";
import { SampleHost } from "./test/host";
import { sampleTurn } from "./test/sample";
import TurnView from "./TurnView.svelte";

beforeEach(layOut);
afterEach(cleanup);

const AT = "2026-11-21T09:00:00.000Z";
const DATA = '{"action":"bash","command":"df -h","items":[{"text":"53%\\u0060 \\n"}]}';

const action: ChainAction = {
  index: 0, name: "bash", command: "df -h", payload: '{"command":"df -h"}', is_called: false, confirmation: null, refusal: null, started_seq: 12, allowed_by: "actions.bash.allow",
  end: { seq: 13, outcome: "output", exit: 0, note: null, bytes: 27, took_ms: 250 }, answer: null,
};
const step = (seq: number, of: ChainStepKind): ChainStep => ({ seq, at: AT, step: of });
const acted = (change: Partial<ChainAction>, seq = 10): ChainStep => step(seq, { kind: "action", ...action, ...change });

const asked: ChainTurn = {
  turn: 812, at: AT, seq: 1, beginning: { by: "message", sender: "Alice", text: "How full is the disk?" }, channel: "telegram", chat: "direct-alice", chat_type: "direct", thread: null,
  given: null, steps: [acted({}), step(14, { kind: "delivered", turn: 815 })], steps_omitted: 0, terminal: { state: "silent", reason: "directives_only" }, end_seq: 15, queued: false,
};
const delivered: ChainTurn = {
  ...asked, turn: 815, seq: 21,
  beginning: { by: "delivery", origin: "actions", outcome: "output", action: { name: "bash", command: "df -h" }, requester: "Alice", depth: 1, corrections: null, cause: 812 },
  given: { seq: 22, bytes: 70, text: DATA },
  steps: [step(30, { kind: "message", op: 3, operation: "send_text", text: "Half full.", is_aside: false, outcome: "sent", detail: null, setting: null })],
  terminal: { state: "replied" }, end_seq: 33,
};
const chain: ActionChain = { turns: [asked, delivered], is_cut_before: false, turns_omitted: 0 };
const rowsOf = (...steps: ChainStep[]) => groupsOf({ ...chain, turns: [{ ...asked, steps }] })[0]?.rows ?? [];
const openRowsOf = (...steps: ChainStep[]) => groupsOf({ ...chain, turns: [{ ...asked, terminal: null, end_seq: null, steps }] })[0]?.rows ?? [];

test("a turn says what began it, for whom and where, and how far along the chain it is", () => {
  const [first, second] = groupsOf(chain);
  expect(first).toMatchObject({ title: "Message of Alice", quote: "How full is the disk?", facts: ["telegram, chat direct-alice"], cause: null, state: { word: "no text" } });
  expect(second).toMatchObject({ title: "Action result of bash", code: "df -h", quote: null, facts: ["for Alice", "telegram, chat direct-alice", "delivery 1 of at most 3"], cause: 812, state: { tone: "ok", word: "answered" } });
});

test("a delivery is titled by its outcome", () => {
  const titled = (change: object): string | undefined => groupsOf({ ...chain, turns: [{ ...delivered, beginning: { ...delivered.beginning, ...change } as ChainTurn["beginning"] }] })[0]?.title;
  expect(titled({ outcome: "output" })).toBe("Action result of bash");
  expect(titled({ outcome: "error" })).toBe("Error of bash");
  expect(titled({ outcome: "event", origin: "outside", action: { name: "post" } })).toBe("Event: post");
  expect(titled({ outcome: "event", origin: "reminder", action: { name: "event" } })).toBe("Event: a reminder came due");
});

test("what a turn leads to is a result, or a reminder that came due", () => {
  const reminder: ChainTurn = { ...delivered, turn: 816, beginning: { ...delivered.beginning, origin: "reminder", outcome: "event" } as ChainTurn["beginning"] };
  const steps = [step(14, { kind: "delivered", turn: 815 }), step(15, { kind: "delivered", turn: 816 })];
  const rows = groupsOf({ ...chain, turns: [{ ...asked, steps }, delivered, reminder] })[0]?.rows ?? [];
  expect(rows.map(({ title, turn }) => [title, turn])).toEqual([["Result to the agent", 815], ["Reminder to the agent", 816]]);
});

test("an action says who let it run, how it ended, and each fact leads to its event", () => {
  const [allowed] = rowsOf(acted({}));
  expect(allowed).toMatchObject({ title: "bash", code: "df -h", state: { tone: "ok", word: "exit status 0" } });
  expect(allowed?.facts).toEqual([
    { text: "asked for in the answer", seq: null },
    { text: "allowed by actions.bash.allow", seq: 12 },
    { text: "started", seq: 12 },
    { text: "ended after 250 ms, 27 B", seq: 13 },
  ]);
  const confirmation = { asked_seq: 11, decided_seq: 12, option: "allow_once" as const, by: { user: "alice" }, why: "", waited_ms: 4000 };
  const facts = (of: Partial<ChainAction>): string[] => rowsOf(acted({ allowed_by: null, started_seq: null, end: null, ...of }))[0]?.facts.map(({ text }) => text) ?? [];
  expect(facts({ confirmation })).toContain("confirmed by alice after 4 s");
  expect(facts({ confirmation: { ...confirmation, option: "reject_once", by: "console" } })).toContain("rejected by the console after 4 s");
  expect(facts({ confirmation: { ...confirmation, option: null, by: "pipeline", why: "nobody answered in time" } })).toContain("not confirmed after 4 s: nobody answered in time");
});

test("an action that did not run, does not yet, or whose end nobody knows says so", () => {
  const open = { started_seq: null, end: null, allowed_by: null };
  const word = (rows: ReturnType<typeof rowsOf>): string | undefined => rows[0]?.state?.word;
  expect(word(rowsOf(acted({ ...open, refusal: { seq: 11, code: "not_permitted", detail: "only owners may", setting: "commands.owner_allow_from" } })))).toBe("not permitted");
  expect(rowsOf(acted({ ...open, refusal: { seq: 11, code: "not_permitted", detail: "only owners may", setting: "commands.owner_allow_from" } }))[0]).toMatchObject({
    code: "df -h", why: "The sender may not have this action carried out. Only owners may.", setting: "commands.owner_allow_from", asks: false,
  });
  expect(rowsOf(acted({ ...open, command: null }))[0]?.code).toBe('{"command":"df -h"}');
  expect(word(openRowsOf(acted({ ...open, started_seq: 12 })))).toBe("running");
  expect(word(rowsOf(acted({ ...open, started_seq: 12 })))).toBe("end unknown");
  expect(word(rowsOf(acted(open)))).toBe("not begun");
  const waits = { asked_seq: 11, decided_seq: null, option: null, by: null, why: "", waited_ms: null };
  expect(openRowsOf(acted({ ...open, confirmation: waits }))[0]).toMatchObject({ state: { word: "needs permission" }, asks: true });
  expect(word(rowsOf(acted({ end: { seq: 13, outcome: "output", exit: 1, note: "stopped after 30 s", bytes: 0, took_ms: 30_000 } })))).toBe("exit status 1");
});

test("a budget and a dead chat say what they decided, and lead to where they are shown", () => {
  const [budget] = rowsOf(step(14, { kind: "not_delivered", reason: "requester_budget", detail: "1 of 1 within 10m", setting: "deliveries.per_requester" }));
  expect(budget).toMatchObject({ title: "Result not delivered to the agent", state: { word: "requester budget" }, setting: "deliveries.per_requester", isAboutDeliveries: true });
  const [depth] = rowsOf(step(14, { kind: "not_delivered", reason: "depth_limit", detail: "three have", setting: null }));
  expect(depth?.isAboutDeliveries).toBe(false);
  const [dead] = rowsOf(step(31, { kind: "target_dead", target: { chat: "c1", thread: null }, refusal: "forbidden", detail: "blocked by the user" }));
  expect(dead).toMatchObject({ title: "Chat c1 takes nothing more", why: "The bot may not do that there. Blocked by the user.", isAboutDeliveries: true });
  const [stopped] = rowsOf(step(31, { kind: "stopped", gate: "dead_target", detail: "telegram takes nothing more", setting: null }));
  expect(stopped).toMatchObject({ title: "Stopped before the agent", state: { word: "dead target" }, isAboutDeliveries: true });
});

/** A backend whose turns 812 and 815 are a chain, both ways. */
class ChainHost extends SampleHost {
  chain = chain;

  constructor() {
    super();
    for (const turn of [812, 815]) {
      const detail: TurnDetail = { ...sampleTurn(), has_chain: true };
      this.retell({ ...detail, summary: { ...detail.summary, turn } });
    }
  }

  override async call<K extends CommandName>(name: K, args: Args<K>): Promise<Result<K>> {
    if (name !== "action_chain") return super.call(name, args);
    this.calls.push({ name, args });
    await new Promise((resolve) => setTimeout(resolve));
    return this.chain as Result<K>;
  }
}

async function open(turn: number, of = chain) {
  const host = new ChainHost();
  host.chain = of;
  const window = await stage(TurnView, undefined, undefined, host);
  window.console.select({ turn });
  await settle();
  await settle();
  return { ...window, host };
}

const turns = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-testid="chain-turn"]')];
const current = (): (string | undefined)[] => turns().filter((turn) => turn.ariaCurrent === "step" || turn.getAttribute("aria-current") === "step").map((turn) => turn.dataset["turn"]);

test("the chain is one picture from either end, and leads from each turn to the other", async () => {
  const { console } = await open(812);
  expect(turns().map((turn) => turn.dataset["turn"])).toEqual(["812", "815"]);
  expect(current()).toEqual(["812"]);
  await click(byId("chain-open"));
  await settle();
  expect(console.selected?.turn).toBe(815);
  expect(current()).toEqual(["815"]);
  expect(byId("chain-open").textContent).toBe("turn #812");
});

test("the data is shown exactly as the agent was given it, and copied so", async () => {
  const copied: string[] = [];
  Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: (text: string) => (copied.push(text), Promise.resolve()) } });
  await open(815);
  expect(byId("chain-data-text").textContent).toBe(DATA);
  expect(byId("chain-data")).toMatchObject({ open: true });
  await click(byId("chain-copy"));
  expect(copied).toEqual([DATA]);
});

test("a step of the open turn is selected there, and one of another turn opens it at its event", async () => {
  const { console } = await open(812);
  const events = [...document.querySelectorAll<HTMLElement>('[data-testid="chain-event"]')];
  await click(events[0] as HTMLElement);
  expect(console.selected).toMatchObject({ turn: 812, seq: 10 });
  await click(events[2] as HTMLElement);
  expect(console.selected).toMatchObject({ turn: 815, seq: 30 });
});

test("a line break in a notice or an event is drawn, and stands in no font's picture", async () => {
  const steps = [step(14, { kind: "message", op: 2, operation: "send_text", text: "Not done.\u240aAsk again.", is_aside: true, outcome: "sent", detail: null, setting: null })];
  await open(812, { ...chain, turns: [{ ...asked, beginning: { by: "message", sender: "Alice", text: "One\u240atwo" }, steps }] });
  const quotes = [...byId("chain").querySelectorAll<HTMLElement>(".quote")];
  expect(quotes.map((quote) => [quote.textContent, quote.querySelector(".sign")?.getAttribute("data-sign")])).toEqual([["“Onetwo”", "LF"], ["“Not done.Ask again.”", "LF"]]);
});

test("a turn without actions asks for no chain, and one that goes on asks once for each change", async () => {
  const { host, console } = await open(813);
  expect(document.querySelector('[data-testid="chain"]')).toBeNull();
  expect(calls(host, "action_chain")).toEqual([]);
  console.select({ turn: 812 });
  await settle();
  await vi.waitFor(() => expect(calls(host, "view_open").at(-1)).toMatchObject({ filter: expect.stringContaining("turn:#812,#815 kind:") }));
  await settle();
  const before = calls(host, "action_chain").length;
  expect(before).toBeLessThan(4);
  const [row] = demo.rows;
  if (row === undefined) throw new Error("no row in the demonstration");
  host.append([row]);
  await settle();
  await vi.waitFor(() => expect(calls(host, "action_chain").length).toBe(before + 1));
});
