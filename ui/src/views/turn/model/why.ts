/** What stands in the card under the raw text: the decision one stands at, and what is held or waits then. */
import type { DecisionDetail, DecisionInput, Decision, Moment } from "../../../generated/wire";
import { count, dateTime, duration, plural, stamp, words } from "../../../store/format";

/** One line of the card. */
export interface Reason {
  term: string;
  text: string;
  /** A code to show in the mono font before the text. */
  code?: string;
  /** Raw text to show after it. */
  raw?: string;
  inputs?: readonly DecisionInput[];
}

export interface Why {
  tone: "held" | "waiting" | "error" | "plain";
  /** The event that it is about; `null` before the first. */
  seq: number | null;
  lines: Reason[];
}

const KIND_TERMS: Record<Decision["kind"], string> = {
  gate: "Gate",
  chunk: "Chunk",
  hold: "Hold",
  range: "Decided",
  directive: "Directive",
  diagnostic: "Finding",
  delivery: "Delivery",
  agent: "Agent",
  end: "End",
};

/** The card for a moment; `atMs` is the time of it one stands at, since what is held or waits goes on between two events. */
export function whyAt(moment: Moment, atMs: number): Why {
  const { decision } = moment;
  const held = holding(moment, atMs);
  const wait = waiting(moment, atMs);
  const lines = [...(decision === null ? [] : told(moment, decision)), ...held, ...wait];
  const tone = decision?.decision.error === true ? "error" : held.length > 0 ? "held" : wait.length > 0 ? "waiting" : "plain";
  return { tone, seq: decision?.decision.seq ?? null, lines };
}

/** How the backend ends the text of what became known after the turn. */
const LATE = /; known since (\S+)$/;

/** What was decided, about which bytes, by which rule, made from what, and what it changes. */
function told({ ledger }: Moment, { decision, raw, rule, inputs, effect }: DecisionDetail): Reason[] {
  const { seq, kind, error, text, span } = decision;
  const since = LATE.exec(text)?.[1];
  const entry = ledger.find(({ outcome_seq }) => outcome_seq === seq);
  // The text is an event's one line, shortened: how an operation ended, the ledger says in full.
  const whole = entry?.outcome?.detail == null ? null : `operation ${entry.op}, ${words(entry.outcome.code)}: ${entry.outcome.detail}`;
  const lines: Reason[] = [{ term: error ? "Error" : KIND_TERMS[kind], text: whole ?? text.replace(LATE, "") }];
  if (since !== undefined) lines.push({ term: "Known since", text: dateTime(since) });
  if (span !== null) lines.push({ term: "Bytes", text: `${count(span[0])}–${count(span[1])}`, ...(raw === null ? {} : { raw }) });
  lines.push({ term: "Rule", text: rule.about, code: rule.code });
  if (inputs.length > 0) lines.push({ term: "Inputs", text: "", inputs });
  lines.push({ term: "Effect", text: effect });
  return lines;
}

/** What is held, for how long and why. */
function holding(moment: Moment, atMs: number): Reason[] {
  const holding = moment.messages.findLast((m) => m.hold !== null);
  if (holding?.hold == null) return [];
  const { span, reason, releases } = holding.hold;
  const since = holding.held_since_ms;
  const time = since === null ? "" : ` for ${duration(Math.max(0, atMs - since))}, since ${stamp(since)}`;
  return [
    { term: "Held", text: `${plural(span[1] - span[0], "byte")}${time}, reason`, code: reason },
    ...(moment.decision?.decision.kind === "hold" ? [] : [{ term: "Releases", text: releases }]),
  ];
}

function waiting({ waiting }: Moment, atMs: number): Reason[] {
  if (waiting === null) return [];
  const { about, until_ms } = waiting;
  return [{ term: "Waits", text: until_ms === null ? about : `${about.replace(/\.$/, "")}, another ${duration(Math.max(0, until_ms - atMs))}.` }];
}
