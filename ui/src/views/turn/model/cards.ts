/** The right pane: directives with outcomes, and the ledger, at a moment of the turn. */
import type { Diagnostic, DirectiveEntry, LeakedBytes, LedgerEntry, Moment, Outcome, TurnDetail } from "../../../generated/wire";
import { count, duration } from "../../../store/format";
import { detailOf, subjectOf, tagOf } from "./directive";
import { directiveKey, overlaps } from "./links";

/** Where something stands at a moment: still ahead, being read, under way, or ended. */
export type Stage = "ahead" | "parsing" | "open" | "done";

export interface Card {
  key: string;
  /** Tag or key, as the agent wrote it. */
  name: string;
  /** What it is about, short. */
  subject: string;
  /** In words. */
  about: string;
  stage: Stage;
  outcome: Outcome | null;
  tookMs: number | null;
  /** The event to select. */
  seq: number | null;
}

function aboutOf({ directive }: DirectiveEntry, sent: LedgerEntry | undefined): string {
  const [from, to] = directive.span;
  const emoji = sent?.intent.emoji_sent ?? sent?.intent.emoji;
  const meant = directive.type === "react" && emoji !== undefined && emoji !== directive.emoji ? `${directive.emoji} → ${emoji} ` : "";
  return `${meant}${detailOf(directive)} · bytes ${count(from)}–${count(to)}`;
}

/** The actions that the text of this turn asked for, by that moment: read as directives are, and no directive nor header. */
export function actionsAt(detail: TurnDetail, seq: number): number {
  const directives = new Set(detail.directives.map((entry) => entry.seq));
  return detail.decisions.filter((d) => d.kind === "directive" && d.span !== null && d.seq <= seq && !directives.has(d.seq)).length;
}

/** Directives and header keys in the order they were written, as they stand at a moment. */
export function cardsAt(detail: TurnDetail, moment: Moment | null): Card[] {
  const now = new Map(moment?.directives.map((d) => [directiveKey(d.message, d.index), d]));
  const cards: { card: Card; message: number; at: number }[] = [];
  for (const { message, header } of detail.messages) {
    const read = detail.decisions.find((d) => d.kind === "directive" && d.message === message && d.span === null);
    const come = moment?.messages.find((m) => m.message === message)?.header ?? {};
    for (const [key, value] of Object.entries(header)) {
      const answered = key === "reply_to" ? value : key === "reply_to_current" && value === true ? detail.inbound.message : undefined;
      const op = answered === undefined ? undefined : detail.ledger.find((e) => e.intent.reply_to === answered);
      const known = moment === null ? op : moment.ledger.find((e) => e.op === op?.op);
      const stage = moment !== null && !(key in come) ? "ahead" : known?.outcome != null ? "done" : op === undefined ? "done" : "open";
      const card: Card = {
        key: `header:${message}:${key}`,
        name: key,
        subject: value === true ? "" : String(value),
        about: op === undefined ? "header" : "header · the first message is sent as a reply",
        stage,
        outcome: known?.outcome ?? null,
        tookMs: null,
        seq: op?.seq ?? read?.seq ?? null,
      };
      cards.push({ card, message, at: 0 });
    }
  }
  for (const entry of detail.directives) {
    const key = directiveKey(entry.message, entry.index);
    const shown = now.get(key);
    const hold = moment?.messages.find((m) => m.message === entry.message)?.hold;
    const parsing = shown === undefined && hold != null && overlaps(hold.span, entry.directive.span);
    const outcome = moment === null ? entry.outcome : (shown?.outcome ?? null);
    const card: Card = {
      key,
      name: tagOf(entry.directive),
      subject: subjectOf(entry.directive),
      about: outcome?.detail ?? aboutOf(entry, (moment ?? detail).ledger.find((e) => e.op === entry.op)),
      stage: parsing ? "parsing" : shown === undefined && moment !== null ? "ahead" : outcome === null ? "open" : "done",
      outcome,
      tookMs: outcome === null ? null : (moment === null ? entry : shown)?.took_ms ?? null,
      seq: entry.seq,
    };
    cards.push({ card, message: entry.message, at: 1 + entry.directive.span[0] });
  }
  return cards.sort((a, b) => a.message - b.message || a.at - b.at).map(({ card }) => card);
}

export interface Finding {
  /** Its place in the list: a rule can find the same thing twice. */
  id: number;
  message: number;
  diagnostic: Diagnostic;
  /** It was not told yet at the moment one stands at. */
  ahead: boolean;
}

/** What was found in the raw text, in its order, as it stands at a moment. */
export function findingsAt(detail: TurnDetail, moment: Moment | null): Finding[] {
  const told = new Map<string, number>();
  const nameOf = (message: number, { code, span, message: text }: Diagnostic): string => `${message}:${code}:${span.join("–")}:${text}`;
  for (const { message, diagnostics } of moment?.messages ?? [])
    for (const diagnostic of diagnostics) told.set(nameOf(message, diagnostic), (told.get(nameOf(message, diagnostic)) ?? 0) + 1);
  return detail.messages
    .flatMap(({ message, diagnostics }) => diagnostics.map((diagnostic) => ({ message, diagnostic })))
    .map(({ message, diagnostic }, id) => {
      const name = nameOf(message, diagnostic);
      const left = told.get(name) ?? 0;
      told.set(name, left - 1);
      return { id, message, diagnostic, ahead: moment !== null && left <= 0 };
    });
}

/** A row of the ledger at a moment. */
export interface Line {
  entry: LedgerEntry;
  stage: Exclude<Stage, "parsing">;
  /** What it says, in one line; the page cuts it off where it does not fit. Empty where it says nothing. */
  quote: string;
  /** What it is about, besides. */
  subject: string;
  /** Why it waits, what the platform answered, how long the user saw it. */
  notes: string[];
  /** Bytes of directives that it showed. */
  leaks: readonly LeakedBytes[];
}

/** Characters of a quote: more than a pane is wide, so that the page cuts it off before, with the one ellipsis there is. */
const QUOTED = 400;

/** A text in one line. */
function quoteOf(text: string | null): string {
  const line = (text ?? "").replaceAll(/\s+/g, " ").trim();
  return line.length <= QUOTED ? line : `${line.slice(0, QUOTED - 1).replace(/[\s.…]+$/, "")}…`;
}

/** What an operation says, and what it is about besides. */
function contentOf({ intent, text, outcome }: LedgerEntry): Pick<Line, "quote" | "subject"> {
  const reply = intent.reply_to === undefined ? "" : `in reply to ${intent.reply_to}`;
  const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== "").join(" ");
  switch (intent.kind) {
    case "react":
      return { quote: "", subject: `${intent.emoji_sent ?? intent.emoji ?? ""} → ${intent.message ?? ""}` };
    case "send_file":
      return { quote: "", subject: joined(intent.path ?? "", reply) };
    case "delete":
      return { quote: "", subject: intent.message ?? "" };
    case "typing":
      return { quote: "", subject: "" };
    case "edit_text":
      return { quote: quoteOf(text), subject: `in ${intent.message ?? ""}`.trim() };
    default:
      return { quote: quoteOf(text), subject: joined(reply, outcome?.message == null ? "" : `→ ${outcome.message}`) };
  }
}

/** The planned faults that hit an operation, each once, until an event. */
function hitsOf(detail: TurnDetail, op: LedgerEntry["op"], seq: number): string[] {
  const hits = new Map<number, { about: string; times: number }>();
  for (const fault of detail.faults) {
    if (fault.op === op && fault.seq <= seq) hits.set(fault.number, { about: fault.about, times: (hits.get(fault.number)?.times ?? 0) + 1 });
  }
  return [...hits].map(([number, { about, times }]) => `planned fault ${number}${times === 1 ? "" : `, ${count(times)} times`}: ${about}`);
}

/** The ledger with what is still unmatched on top, then in the order of intents, what is ahead last. */
export function linesAt(detail: TurnDetail, moment: Moment | null): Line[] {
  const now = new Map(moment?.ledger.map((e) => [e.op, e]));
  const seq = moment?.seq ?? detail.head;
  const rank: Record<Line["stage"], number> = { open: 0, done: 1, ahead: 2 };
  return detail.ledger
    .map((full): Line => {
      const known = moment === null ? full : now.get(full.op);
      const entry = known ?? full;
      const stage = known === undefined ? "ahead" : known.outcome === null ? "open" : "done";
      const notes: string[] = [];
      if (stage === "open" && entry.waiting !== null) notes.push(entry.waiting);
      if (stage === "done" && entry.outcome?.detail != null) notes.push(entry.outcome.detail);
      if (stage !== "ahead" && entry.attempts > 1) notes.push(`${entry.attempts} attempts`);
      notes.push(...hitsOf(detail, entry.op, seq));
      if (stage === "done" && entry.visible_ms !== null) notes.push(`seen for ${duration(entry.visible_ms)}`);
      return { entry, stage, ...contentOf(entry), notes, leaks: known?.leaked ?? [] };
    })
    .sort((a, b) => rank[a.stage] - rank[b.stage] || a.entry.seq - b.entry.seq);
}
