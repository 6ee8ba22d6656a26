import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it } from "vitest";
import demo from "../../../recordings/demo";
import type { Book, BookLine, LedgerEntry, Outcome } from "../../generated/wire";
import type { Exchange } from "../../host/recorded";
import { byId, calls, click, layOut, settle, SlowHost, stage } from "../../test/stage";
import { notesOf, subjectOf } from "./book";
import ChannelsView from "./ChannelsView.svelte";

beforeEach(layOut);
afterEach(cleanup);

const outcome = (code: Outcome["code"], detail: string | null = null): Outcome => ({ code, message: null, detail, refusal: null, attempts: 1 });
const line = (op: number, text: string, end: Outcome | null, rest: Partial<BookLine> = {}, entry: Partial<LedgerEntry> = {}): BookLine => ({
  channel: "discord", chat: "c-1", turn: 800 + op, at: "2026-11-21T13:00:00Z", can_resend: false, resent: null, resend_waits: null, ...rest,
  entry: {
    seq: 10 * op, op, at_ms: 0, intent: { kind: "send_text", target: { chat: "c-1", thread: null }, live: false }, text, waiting: null, waiting_until_ms: null, attempts: 1, outcome: end,
    outcome_seq: end === null ? null : 10 * op + 1, took_ms: end === null ? null : 40, visible_ms: null, leaked: [], ...entry,
  },
});
const BOOK: Book = {
  open: [line(1, "waits", null, {}, { waiting: "the channel is off", took_ms: null })], open_total: 1,
  dead: [
    line(2, "<b>lost</b>", outcome("failed", "the bot was thrown out"), { can_resend: true }, { attempts: 3 }),
    line(3, "perhaps", outcome("unknown"), { can_resend: true }),
  ],
  dead_total: 2, done: [line(4, "once more", outcome("failed"), { resent: 900 })], done_total: 1, dead_filter: "channel:discord outcome:failed,unknown",
  settled: [line(5, "arrived", outcome("sent"), {}, { visible_ms: 1500 })], settled_total: 60, settled_filter: "channel:discord outcome:sent",
};

const all = (id: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(`[data-testid="${id}"]`)];
const open = async (more: Exchange[] = []) => {
  const window = await stage(ChannelsView, undefined, { ...demo, calls: [{ name: "deliveries", result: BOOK }, ...more, ...demo.calls] });
  await click(byId("channel-discord").querySelector("[data-testid='channel-ledger']") as Element);
  return window;
};

it("has what is unmatched on top, then dead letters, then what was acknowledged", async () => {
  const { host } = await open();
  expect(calls(host, "deliveries")).toEqual([{ channel: "discord", limit: 50 }]);
  expect(all("book-line").map((l) => l.dataset["op"])).toEqual(["1", "2", "3", "4", "5"]);
  expect(byId("book-open").textContent).toMatch(/waits.*waits.*the channel is off/s);
  expect(byId("book-dead").textContent).toMatch(/<b>lost<\/b>.*failed · 40 ms.*thrown out · 3 attempts/s);
  expect(byId("book-dead").textContent).toMatch(/perhaps.*unknown/s);
  expect(byId("book-settled").textContent).toMatch(/60.*arrived.*sent.*seen for 1.5 s.*1 of 60 are listed/s);
  // The reason has the row's width to itself, outside of the outcome's column.
  expect([...byId("book-dead").querySelectorAll("li > .notes")].map((notes) => notes.textContent)).toEqual(["the bot was thrown out · 3 attempts"]);
});

it("says how far a message has come, and follows it", async () => {
  const at = new Date(2026, 10, 22, 12, 5).toISOString();
  const answer = { name: "deliveries" as const, result: BOOK };
  const { host } = await stage(ChannelsView, undefined, { ...demo, calls: [answer, ...demo.calls] });
  await click(byId("ledger-all"));
  expect([all("reached").length, calls(host, "deliveries").length]).toEqual([0, 1]);
  answer.result = { ...BOOK, settled: [line(5, "arrived", outcome("sent"), {}, { reached: { seq: 52, receipt: "read", at } })] };
  host.append([{ seq: 52, at, turn: 805, channel: "discord", session: null, stage: "deliver", kind: "receipt", summary: "op 5 read", bytes: null, lasted_ms: null, flags: [], gap: null }]);
  await settle();
  expect(calls(host, "deliveries")).toHaveLength(2);
  expect(all("reached").map((mark) => mark.textContent)).toEqual(["read 12:05"]);
  expect(byId("reached").title).toBe("Who it is for has seen it. 2026-11-22 12:05:00.000");
  expect(byId("book-settled").textContent).toMatch(/arrived.*sent · 40 ms.*read 12:05/s);
});

it("is that of all channels from the heading", async () => {
  const { host } = await stage(ChannelsView, undefined, { ...demo, calls: [{ name: "deliveries", result: BOOK }, ...demo.calls] });
  await click(byId("ledger-all"));
  expect(calls(host, "deliveries")).toEqual([{ channel: null, limit: 50 }]);
  expect(byId("book-dead").textContent).toContain("discord · c-1");
});

it("asks once before a dead letter is sent again, and says so when it may be there already", async () => {
  const { host, console } = await open([{ name: "resend", result: { turn: 901 } }]);
  expect(all("resend")).toHaveLength(2);
  await click(all("resend")[1] as Element);
  expect(calls(host, "resend")).toEqual([]);
  expect(byId("resend-dialog").textContent).toMatch(/Nobody knows whether it arrived.*may be there twice.*goes to c-1, in a dry run/s);
  byId("resend-dialog").querySelector("form")?.requestSubmit();
  await settle();
  expect(calls(host, "resend")).toEqual([{ turn: 803, op: 3 }]);
  expect(console.toasts.at(-1)?.title).toBe("Sent again as turn #901");
  expect(calls(host, "deliveries")).toHaveLength(2);
});

it("leads from a count to its events, from a line to its turn, from a resent one to the turn that did it", async () => {
  const { console } = await open();
  await click(byId("book-dead-total"));
  expect([console.view, console.askedFilter]).toEqual(["live", "channel:discord outcome:failed,unknown"]);
  cleanup();
  const second = await open();
  await click(all("book-line")[1]?.querySelector("button") as Element);
  expect(second.console.selected).toMatchObject({ turn: 802, seq: 21 });
  cleanup();
  const third = await open();
  expect(byId("book-done").textContent).toMatch(/1.*once more.*sent again as turn #900/s);
  await click(byId("book-done").querySelector(".again") as Element);
  expect(third.console.selected?.turn).toBe(900);
});

it("leads to the turn in which a dead letter waits to be sent again", async () => {
  const dead = [line(9, "queued", outcome("failed"), { resend_waits: 901 })];
  const { console } = await stage(ChannelsView, undefined, { ...demo, calls: [{ name: "deliveries", result: { ...BOOK, dead, dead_total: 1 } }, ...demo.calls] });
  await click(byId("ledger-all"));
  expect(byId("book-dead").textContent).toMatch(/queued.*waits to be sent again in turn #901/s);
  expect(all("resend")).toEqual([]);
  await click(byId("book-dead").querySelector(".again") as Element);
  expect(console.selected?.turn).toBe(901);
});

it("says why it cannot be read", async () => {
  await stage(ChannelsView, undefined, { ...demo, calls: [{ name: "deliveries", failure: { code: "journal", message: "The journal cannot be read.", hint: null } }, ...demo.calls] });
  await click(byId("ledger-all"));
  expect(byId("book").textContent).toContain("The journal cannot be read.");
});

it("names every operation by what it says", () => {
  const of = (intent: Partial<LedgerEntry["intent"]>, text: string | null): string => {
    const base = line(1, "", null);
    return subjectOf({ ...base, entry: { ...base.entry, text, intent: { ...base.entry.intent, ...intent } } });
  };
  expect(of({ kind: "react", emoji: "👍", emoji_sent: "thumbsup", message: "m1" }, null)).toBe("thumbsup → m1");
  expect(of({ kind: "send_file", path: "a.png" }, "Look")).toBe("a.png, Look");
  expect(of({ kind: "send_text" }, "two\n lines ")).toBe("two lines");
  expect(notesOf(line(1, "", outcome("sent"), {}, { intent: { kind: "edit_text", target: { chat: "c", thread: null }, live: true } }))).toEqual(["a live frame"]);
});

it("shows no other ledger's answer", async () => {
  const none: Book = { ...BOOK, dead: [], dead_total: 0, done: [], done_total: 0 };
  const answers = [{ name: "deliveries", args: { channel: "telegram" }, result: BOOK }, { name: "deliveries", args: { channel: "discord" }, result: none }] as const;
  const host = new SlowHost({ ...demo, calls: [...answers, ...demo.calls] }, "deliveries");
  const { console } = await stage(ChannelsView, undefined, demo, host);
  const open = (channel: string): Promise<void> => click(byId(`channel-${channel}`).querySelector("[data-testid='channel-ledger']") as Element);
  await open("telegram");
  expect(calls(host, "deliveries")).toEqual([{ channel: "telegram", limit: 50 }]);
  // The second is opened before the first is answered.
  await open("discord");
  await host.answer();
  expect(calls(host, "deliveries")).toHaveLength(2);
  expect(byId("book").textContent).toContain("Delivery ledger, discord");
  expect(byId("book").textContent).toContain("Reading the ledger");
  expect(all("book-line")).toEqual([]);
  await host.answer();
  expect(byId("book-dead-total").textContent).toBe("0");
  // Nor does what was read before stand under another name.
  console.actions.run("channels.ledger");
  await settle();
  expect(byId("book").textContent).toMatch(/Delivery ledger, all channels.*Reading the ledger/s);
});

it("lists what was acknowledged and then lost among the dead letters only, and says so", async () => {
  await open();
  expect(byId("book-settled").textContent).toContain("what did not arrive after all stands above");
});

it("says where the rest of the settled ones is when what did not arrive was sent again", async () => {
  const book: Book = { ...BOOK, dead: [], dead_total: 0, settled_total: 2 };
  await stage(ChannelsView, undefined, { ...demo, calls: [{ name: "deliveries", result: book }, ...demo.calls] });
  await click(byId("ledger-all"));
  expect(byId("book-settled").textContent).toMatch(/2.*what did not arrive after all stands above.*1 of 2 are listed here/s);
});
