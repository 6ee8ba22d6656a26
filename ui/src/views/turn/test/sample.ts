/** A turn made by hand, for tests: a header, a block, text, a bare directive that is being held. */
import type {
  Bubble,
  Decision,
  DirectiveEntry,
  Hold,
  HoldEntry,
  LaneSpan,
  LaneStroke,
  LedgerEntry,
  Moment,
  MomentAt,
  Outcome,
  Range,
  TurnDetail,
} from "../../../generated/wire";

const PIECES: readonly [at: number, text: string][] = [
  [0, "[[reply_to:4471]]\n"],
  [41, "<actions>\n"],
  [83, '  <react emoji="thumbsup" />\n'],
  [120, "</actions>\n"],
  [162, "Here is the chart, with last"],
  [204, ' week marked. <send-file path="out/ch'],
  [247, 'art.png" /> Anything else?'],
];

/** When the agent's first chunk came. */
const AGENT_MS = 90;

export const RAW = PIECES.map(([, text]) => text).join("");

function outcome(code: Outcome["code"], message: string | null = null): Outcome {
  return { code, message, detail: null, refusal: null, attempts: 1 };
}

const target = { chat: "c-17", thread: null };

/** Numbers events as they are told. */
class Teller {
  seq = 8000;
  decisions: Decision[] = [];
  ranges: (Range & { seq: number })[] = [];

  tell(atMs: number, kind: Decision["kind"], text: string, span: Decision["span"] = null, error = false): number {
    this.seq += 1;
    this.decisions.push({ seq: this.seq, at_ms: atMs, kind, message: span === null ? null : 0, span, text, error });
    return this.seq;
  }

  decide(atMs: number, range: Range): void {
    const words = range.reason === null ? "shown" : `${range.fate}: ${range.reason}`;
    this.ranges.push({ ...range, seq: this.tell(atMs, "range", `${words}, ${range.span[1] - range.span[0]} bytes`, range.span) });
  }
}

export function sampleTurn(): TurnDetail {
  const teller = new Teller();
  const at = RAW.indexOf("Here");
  const gap = RAW.indexOf(" <send-file");
  const tag = gap + 1;
  const tagEnd = RAW.indexOf("/>", tag) + 2;
  teller.tell(0, "gate", "authorize: alice is on the allow list");
  teller.tell(2, "gate", "session: telegram:c-17:alice");
  teller.tell(4, "agent", "script started");
  const chunks: TurnDetail["messages"][0]["chunks"] = [];
  const holds: HoldEntry[] = [];
  const directives: DirectiveEntry[] = [];
  const ledger: LedgerEntry[] = [];
  let byte = 0;
  const hold = (atMs: number, span: [number, number], reason: Hold["reason"], because: string, releases: string): void => {
    const open = holds.at(-1);
    const seq = teller.tell(atMs, "hold", `holds ${span[1] - span[0]} bytes: ${reason}`, span);
    if (open !== undefined && open.until_seq === null) [open.until_seq, open.until_ms] = [seq, atMs];
    holds.push({ seq, until_seq: null, from_ms: atMs, until_ms: null, hold: { span, reason, rule: `G3.${reason}`, because, releases } });
  };
  const release = (atMs: number): void => {
    const open = holds.at(-1);
    if (open !== undefined && open.until_seq === null) [open.until_seq, open.until_ms] = [teller.seq, atMs];
  };
  const intend = (entry: Partial<LedgerEntry> & Pick<LedgerEntry, "intent" | "at_ms">, took: number | null, done: Outcome | null): LedgerEntry => {
    const seq = teller.tell(entry.at_ms, "delivery", `intends ${entry.intent.kind}`);
    const full: LedgerEntry = {
      seq,
      op: 300 + ledger.length,
      text: null,
      waiting: null,
      waiting_until_ms: null,
      attempts: done === null ? 0 : 1,
      outcome: done,
      outcome_seq: null,
      took_ms: took,
      visible_ms: null,
      leaked: [],
      ...entry,
    };
    ledger.push(full);
    return full;
  };
  const settle = (entry: LedgerEntry, atMs: number): void => {
    entry.outcome_seq = teller.tell(atMs, "delivery", `${entry.intent.kind} ${entry.outcome?.code ?? ""}`);
  };
  let firstText: LedgerEntry | null = null;
  PIECES.forEach(([ms, text], i) => {
    const now = AGENT_MS + ms;
    const span: [number, number] = [byte, byte + text.length];
    byte = span[1];
    chunks.push({ seq: teller.tell(now, "chunk", `${text.length} bytes`, span), at_ms: now, span });
    if (i === 0) teller.decide(now, { span: [0, 18], fate: "strip", reason: "header" });
    if (i === 1) hold(now, [18, 28], "open_block", "<actions> opened at byte 18", "on </actions>, or at the end of the message");
    if (i === 2) hold(now, [18, 57], "open_block", "<actions> opened at byte 18, one child read", "on </actions>, or at the end of the message");
    if (i === 3) {
      release(now);
      teller.decide(now, { span: [18, at], fate: "strip", reason: "actions_block" });
      const seq = teller.tell(now, "directive", "react thumbsup", [30, 56]);
      const entry = intend(
        { at_ms: now + 1, intent: { kind: "react", target, message: "4471", emoji: "👍", emoji_sent: "👍", directive: { message: 0, index: 0 }, live: false } },
        84,
        outcome("sent"),
      );
      directives.push({
        seq, message: 0, index: 0, at_ms: now, op: entry.op, outcome: entry.outcome, took_ms: 84,
        directive: { type: "react", emoji: "thumbsup", message: null, span: [30, 56] },
      });
    }
    if (i === 4) {
      teller.decide(now, { span: [at, byte], fate: "show", reason: null });
      firstText = intend(
        { at_ms: now + 6, text: "Here is the chart, with last", visible_ms: 1502, intent: { kind: "send_text", target, reply_to: "4471", body: { from: "clean", message: 0, span: [0, 28] }, live: true } },
        31,
        outcome("sent", "9001"),
      );
      settle(firstText, now + 37);
      const react = ledger[0];
      if (react !== undefined) settle(react, now + 43);
    }
    if (i === 5) {
      teller.decide(now, { span: [at + 28, gap], fate: "show", reason: null });
      hold(now, [gap, byte], "partial_tag", "<send-file may become a directive: name complete, attribute value open",
        "on > (then it runs or is text), on a byte that no tag can contain, or at the end of the message");
    }
    if (i === 6) {
      release(now);
      teller.decide(now, { span: [gap, tag], fate: "drop", reason: "joined_space" });
      teller.decide(now, { span: [tag, tagEnd], fate: "strip", reason: "bare_directive" });
      const seq = teller.tell(now, "directive", "send-file out/chart.png", [tag, tagEnd]);
      teller.tell(now, "diagnostic", "bare-directive: the wrapper is missing", [tag, tagEnd]);
      const entry = intend(
        { at_ms: now + 2, text: null, intent: { kind: "send_file", target, path: "out/chart.png", file_kind: "image", directive: { message: 0, index: 1 }, live: false } },
        120,
        { ...outcome("failed"), detail: "no such file below the send folder", refusal: null },
      );
      directives.push({
        seq, message: 0, index: 1, at_ms: now, op: entry.op, outcome: entry.outcome, took_ms: 120,
        directive: { type: "send_file", path: "out/chart.png", caption: null, kind: "image", cleanup: false, channel: null, chat: null, span: [tag, tagEnd] },
      });
      teller.decide(now, { span: [tagEnd, byte], fate: "show", reason: null });
      entry.outcome_seq = teller.tell(now + 122, "delivery", "send_file failed: no such file", null, true);
    }
  });
  const clean = "Here is the chart, with last week marked. Anything else?";
  const edit = intend(
    { at_ms: 400, text: clean, waiting: "edit_interval: edited 1,500 ms ago at the earliest", intent: { kind: "edit_text", target, message: "9001", body: { from: "clean", message: 0, span: [0, clean.length] }, live: false } },
    1402,
    outcome("sent", "9001"),
  );
  settle(edit, 1802);
  teller.tell(1810, "end", "replied");
  const lanes: LaneSpan[] = [
    { lane: "inbound", from_ms: 0, until_ms: 60, label: "message to agent", seq: 8001, error: false },
    { lane: "agent", from_ms: AGENT_MS, until_ms: AGENT_MS + 300, label: "script", seq: 8003, error: false },
    ...holds.map((h): LaneSpan => ({ lane: "held", from_ms: h.from_ms, until_ms: h.until_ms, label: h.hold.reason, seq: h.seq, error: false })),
    ...directives.map((d): LaneSpan => ({ lane: "directives", from_ms: d.at_ms, until_ms: d.at_ms + (d.took_ms ?? 0), label: d.directive.type, seq: d.seq, error: d.outcome?.code === "failed" })),
    ...ledger.map((e): LaneSpan => ({ lane: "delivery", from_ms: e.at_ms, until_ms: e.at_ms + (e.took_ms ?? 0), label: e.intent.kind, seq: e.seq, error: e.outcome?.code === "failed" })),
  ];
  return {
    summary: {
      turn: 812, at: "2026-11-21T14:02:31.000Z", channel: "telegram", session: "telegram:c-17:alice", sender: "Alice",
      user_text: "Can you put the numbers into a chart?", answer: clean, terminal: { state: "replied" }, queued: false, stopped: false, replayed: false, took_ms: 1810,
      directives: directives.length, diagnostics: 1, failed_ops: 1, unknown_ops: 0,
      latency_ms: 400, longest_hold: { ms: 121, reason: "open_block" },
      strokes: [...new Set(lanes.map(({ lane }) => lane))].map((lane) => {
        const strokes = (failed: boolean): LaneStroke[] => lanes.filter((bar) => bar.lane === lane && bar.error === failed).map(({ from_ms, until_ms }) => [from_ms, until_ms ?? 1810]);
        return { lane, sound: strokes(false), failed: strokes(true) };
      }),
    },
    inbound: {
      channel: "telegram", account: null, chat: "c-17", chat_type: "direct", thread: null, message: "4471", reply_to: null,
      sender: { id: "alice", name: "alice", display_name: "Alice", is_bot: false }, text: "Can you put the numbers into a chart?",
      mentioned: false, files: [], at: "2026-11-21T14:02:31.000Z",
    },
    prompt: "Can you put the numbers into a chart?",
    agent: "script",
    reasoning: "They ask about the talk.",
    tools: [{ seq: 5, at_ms: 200, took_ms: 1200, lapsed_ms: null, call: { id: "call-1", name: "search", status: "completed", arguments: '{"query":"talk"}', result: "nothing new" } }],
    head: teller.seq,
    messages: [
      {
        message: 0, raw: RAW, clean, chunks, holds, header: { reply_to: "4471" }, suppressed: null, narration: false, ended: true,
        ranges: teller.ranges.map(({ seq: _seq, ...range }) => range),
        diagnostics: [
          {
            code: "bare-directive", severity: "warning", span: [tag, tagEnd], message: "`<send-file>` is outside <actions>",
            fix: { span: [tag, tagEnd], text: `<actions>${RAW.slice(tag, tagEnd)}</actions>`, title: "Wrap it in <actions>" },
          },
        ],
      },
    ],
    directives,
    ledger,
    decisions: teller.decisions,
    lanes,
    faults: [],
    deliveries: [],
  };
}

/** The turn at a moment, folded from the sample as the backend folds it from its journal. */
export function sampleMoment(detail: TurnDetail, { seq, byte }: MomentAt): Moment {
  const atMs = detail.decisions.findLast((d) => d.seq <= seq)?.at_ms ?? 0;
  const done = detail.ledger
    .filter((e) => e.seq <= seq)
    .map((e) => (e.outcome_seq !== null && e.outcome_seq <= seq ? e : { ...e, outcome: null, took_ms: null, visible_ms: null, leaked: [] }));
  const texts = done.filter((e) => e.outcome?.code === "sent" && e.text !== null);
  const user: Bubble = {
    message: "4471", from_bot: false, author: "Alice", quote: null, part: { part: "text", text: detail.inbound.text },
    reactions: done.some((e) => e.intent.kind === "react" && e.outcome !== null) ? [{ emoji: "👍", sent: "👍" }] : [],
    edits: 0, deleted: false, length: 37, limit: 4096,
  };
  const shown = texts.at(-1)?.text ?? null;
  const answer: Bubble[] =
    shown === null
      ? []
      : [{ ...user, message: "9001", from_bot: true, author: "Foldback", quote: "Can you put the numbers into…", reactions: [], part: { part: "text", text: shown }, edits: texts.length - 1, length: shown.length }];
  const decision = detail.decisions.findLast((d) => d.seq <= seq);
  const raw = decision?.span == null ? "" : (detail.messages.find((m) => m.message === decision.message)?.raw.slice(...decision.span) ?? "");
  const waits = done.find((e) => e.outcome === null && e.waiting !== null);
  return {
    seq,
    at: new Date(Date.parse(detail.summary.at) + atMs).toISOString(),
    at_ms: atMs,
    messages: detail.messages
      .filter((m) => m.chunks.some((c) => c.seq <= seq))
      .map((m) => {
        const decided = detail.decisions.filter((d) => d.kind === "range" && d.seq <= seq).length;
        const held = m.holds.find((h) => h.seq <= seq && (h.until_seq === null || h.until_seq > seq)) ?? null;
        const ranges = m.ranges.slice(0, decided);
        return {
          message: m.message,
          raw_bytes: byte !== null ? byte[1] : (m.chunks.findLast((c) => c.seq <= seq)?.span[1] ?? 0),
          ranges,
          hold: held?.hold ?? null,
          held_since_ms: held?.from_ms ?? null,
          released: ranges.filter((r) => r.fate === "show").map((r) => m.raw.slice(...r.span)).join(""),
          header: m.header,
          diagnostics: m.diagnostics.filter(({ span }) => m.chunks.some((c) => c.seq <= seq && c.span[1] >= span[1])),
          suppressed: m.suppressed,
          ended: detail.decisions.at(-1)?.kind === "end" && seq >= detail.head,
        };
      }),
    decision: decision === undefined ? null : {
      decision, raw: raw === "" ? null : raw, rule: { code: "G3.block", about: "A rule." }, inputs: [{ name: "size", value: "9 B" }], effect: "What it changes.",
    },
    directives: detail.directives
      .filter((d) => d.seq <= seq)
      .map((d) => (done.find((e) => e.op === d.op)?.outcome == null ? { ...d, outcome: null, took_ms: null } : d)),
    ledger: done,
    seen: { channel: "telegram", platform: "telegram", rules: "", bubbles: [user, ...answer], typing: answer.length === 0, notes: [] },
    typing_until_ms: answer.length === 0 ? atMs + 10_000 : null,
    lengths: { channel: "telegram", platform: "telegram", unit: "utf16", limit: 4096, markup: "html", free_markup: true, messages: [] },
    waiting: waits === undefined ? null : { op: waits.op, reason: "edit_interval", about: waits.waiting ?? "", until_ms: atMs + 640 },
    tools: detail.tools,
    reasoning_bytes: new TextEncoder().encode(detail.reasoning).length,
  };
}
