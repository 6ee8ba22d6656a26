/**
 * A turn right after an event, folded from its events as literally as possible: byte by byte, operation by operation.
 * It shares nothing with the backend's fold, so that both cannot be wrong alike.
 */
import type { Directive, Event, Intent, Kind, OpId, Outcome } from "../../../../generated/wire";

export type ByteFate = "show" | "strip" | "drop" | "held" | "open" | "ahead";
export type Stage = "ahead" | "parsing" | "open" | "done";

export interface FoldedMessage {
  readonly raw: string;
  readonly fates: readonly ByteFate[];
  readonly holdReason: string | null;
}

export interface Folded {
  readonly atMs: number;
  readonly messages: readonly FoldedMessage[];
  readonly directives: readonly { name: string; stage: Stage }[];
  readonly ledger: readonly { kind: string; stage: Exclude<Stage, "parsing"> }[];
  /** What the bot's messages show. */
  readonly chat: readonly string[];
}

const bytesOf = (text: string): number => Buffer.byteLength(text);

type Of<T extends Kind["type"]> = Extract<Kind, { type: T }>;
const ofType = <T extends Kind["type"]>(events: readonly Event[], type: T): { seq: number; kind: Of<T> }[] =>
  events.filter((e) => e.kind.type === type).map((e) => ({ seq: e.seq, kind: e.kind as Of<T> }));

/** The raw text of an assistant message, all of it that `events` tell. */
const rawOf = (events: readonly Event[], message: number): string => ofType(events, "chunk").filter((c) => c.kind.message === message).map((c) => c.kind.text).join("");

function cameOf(events: readonly Event[], message: number): number {
  return Math.max(0, ...ofType(events, "chunk").filter((c) => c.kind.message === message).map((c) => c.kind.came ?? c.kind.span[1]));
}

function messageOf(all: readonly Event[], until: readonly Event[], message: number): FoldedMessage {
  const raw = rawOf(all, message);
  const came = cameOf(until, message);
  const fates: ByteFate[] = Array.from({ length: bytesOf(raw) }, (_, byte) => (byte < came ? "open" : "ahead"));
  let hold: Of<"held">["hold"] | null = null;
  for (const { kind } of until) {
    if (kind.type === "held" && kind.message === message) hold = kind.hold;
    if ((kind.type === "released" || kind.type === "message_ended") && kind.message === message) hold = null;
    if (kind.type === "decided" && kind.message === message) for (let byte = kind.range.span[0]; byte < kind.range.span[1]; byte++) fates[byte] = kind.range.fate;
  }
  if (hold !== null) for (let byte = hold.span[0]; byte < hold.span[1]; byte++) if (fates[byte] === "open") fates[byte] = "held";
  return { raw, fates, holdReason: fates.includes("held") ? (hold?.reason ?? null) : null };
}

/** The clean text of a message. */
function cleanOf(events: readonly Event[], message: number): Buffer {
  const raw = Buffer.from(rawOf(events, message));
  const shown = ofType(events, "decided").filter(({ kind }) => kind.message === message && kind.range.fate === "show");
  return Buffer.concat(shown.map(({ kind: { range } }) => (range.as === undefined ? raw.subarray(range.span[0], range.span[1]) : Buffer.from(range.as))));
}

function textOf(events: readonly Event[], { body }: Intent): string {
  if (body === undefined) return "";
  return body.from === "clean" ? cleanOf(events, body.message).subarray(body.span[0], body.span[1]).toString() : body.text;
}

const TAGS: Record<Directive["type"], string> = { react: "react", send_file: "send-file", voice: "voice", send_message: "send-message" };

function outcomeOf(until: readonly Event[], at: { message: number; index: number }): Outcome | undefined {
  const intents = ofType(until, "intended").filter(({ kind }) => kind.intent.directive?.message === at.message && kind.intent.directive.index === at.index);
  const op = intents.at(-1)?.kind.op;
  const ended = ofType(until, "ended").find(({ kind }) => kind.op === op)?.kind.outcome;
  return ended ?? ofType(until, "skipped").find(({ kind }) => kind.at.message === at.message && kind.at.index === at.index)?.kind.outcome;
}

/** The directives of the whole turn, in the order in which they were written, as they stand by then. */
function directivesOf(all: readonly Event[], until: readonly Event[], messages: readonly FoldedMessage[]): Folded["directives"] {
  const seq = until.at(-1)?.seq ?? 0;
  const found = ofType(all, "directive").map(({ seq: read, kind: { at, directive } }) => {
    const fates = messages[at.message]?.fates.slice(...directive.span) ?? [];
    const stage: Stage = read > seq ? (fates.includes("held") ? "parsing" : "ahead") : outcomeOf(until, at) === undefined ? "open" : "done";
    return { name: TAGS[directive.type], stage, message: at.message, place: directive.span[0] };
  });
  return found.sort((a, b) => a.message - b.message || a.place - b.place).map(({ name, stage }) => ({ name, stage }));
}

function ledgerOf(all: readonly Event[], until: readonly Event[]): Folded["ledger"] {
  const seq = until.at(-1)?.seq ?? 0;
  const rank = { open: 0, done: 1, ahead: 2 } as const;
  return ofType(all, "intended")
    .map(({ seq: intended, kind: { op, intent } }) => {
      const ended = ofType(until, "ended").some(({ kind }) => kind.op === op);
      const stage: "ahead" | "open" | "done" = intended > seq ? "ahead" : ended ? "done" : "open";
      return { kind: intent.kind, stage, intended };
    })
    .sort((a, b) => rank[a.stage] - rank[b.stage] || a.intended - b.intended)
    .map(({ kind, stage }) => ({ kind, stage }));
}

/** What the messages of the bot show: made, edited and removed by what was acknowledged, in that order. */
function chatOf(until: readonly Event[]): string[] {
  const bubbles: { id: string | null; text: string }[] = [];
  const intents = new Map<OpId, Intent>(ofType(until, "intended").map(({ kind }) => [kind.op, kind.intent]));
  const failed = new Set(ofType(until, "undelivered").map(({ kind }) => kind.op));
  for (const { kind: { op, outcome } } of ofType(until, "ended")) {
    const intent = intents.get(op);
    if (intent === undefined || failed.has(op) || (outcome.code !== "sent" && outcome.code !== "dry_run")) continue;
    if (intent.kind === "send_text") bubbles.push({ id: outcome.message, text: textOf(until, intent) });
    if (intent.kind === "edit_text") {
      const bubble = bubbles.findLast((b) => b.id === intent.message);
      if (bubble !== undefined) bubble.text = textOf(until, intent);
    }
  }
  return bubbles.map((b) => b.text);
}

/** The turn right after event `seq`. */
export function foldUntil(all: readonly Event[], seq: number): Folded {
  const until = all.filter((e) => e.seq <= seq);
  // What becomes known after the turn's end stands at its end: it did not make the turn longer.
  const LATE: ReadonlySet<Kind["type"]> = new Set<Kind["type"]>(["undelivered", "receipt", "reviewed", "delivery_accepted"]);
  const end = until.find((e) => e.kind.type === "turn_ended")?.seq ?? Infinity;
  const times = until.filter((e) => e.seq < end || !LATE.has(e.kind.type)).map((e) => Date.parse(e.at));
  const count = Math.max(0, ...ofType(all, "chunk").map(({ kind }) => kind.message + 1));
  const messages = Array.from({ length: count }, (_, message) => messageOf(all, until, message));
  return {
    atMs: Math.max(...times) - Date.parse(all[0]?.at ?? ""),
    messages,
    directives: directivesOf(all, until, messages),
    ledger: ledgerOf(all, until),
    chat: chatOf(until),
  };
}
