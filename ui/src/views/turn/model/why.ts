/** What stands in the card under the raw text: why things are as they are at this moment. */
import type { Decision, Moment } from "../../../generated/wire";
import { count, dateTime, duration, plural, words } from "../../../store/format";

/** One line of the card. */
export interface Reason {
  term: string;
  text: string;
  /** A code to show in the mono font before the text. */
  code?: string;
}

export interface Why {
  tone: "held" | "waiting" | "error" | "plain";
  lines: Reason[];
}

const KIND_TERMS: Record<Decision["kind"], string> = {
  gate: "Gate",
  chunk: "Chunk",
  hold: "Held",
  range: "Decided",
  directive: "Directive",
  diagnostic: "Finding",
  delivery: "Delivery",
  agent: "Agent",
  end: "End",
};

/** The card for a moment, given the last decision at or before it. */
export function whyAt(moment: Moment, decision: Decision | null): Why {
  const holding = moment.messages.findLast((m) => m.hold !== null);
  const wait = waiting(moment);
  if (holding?.hold != null) {
    const { span, reason, rule, because, releases } = holding.hold;
    const since = holding.held_since_ms === null ? "" : ` since +${count(holding.held_since_ms)} ms`;
    return {
      tone: "held",
      lines: [
        { term: "Held", text: `${plural(span[1] - span[0], "byte")}${since}, reason`, code: reason },
        because.includes(rule) ? { term: "Rule", text: because } : { term: "Rule", text: because, code: rule },
        { term: "Releases", text: releases },
        ...wait,
      ],
    };
  }
  if (decision === null) return { tone: wait.length > 0 ? "waiting" : "plain", lines: wait };
  const term = decision.error ? "Error" : KIND_TERMS[decision.kind];
  const where: Reason[] =
    decision.span === null ? [] : [{ term: "Bytes", text: `${count(decision.span[0])}–${count(decision.span[1])}` }];
  return { tone: decision.error ? "error" : wait.length > 0 ? "waiting" : "plain", lines: [...told(term, moment, decision), ...where, ...wait] };
}

/** How the backend ends the text of what became known after the turn. */
const LATE = /; known since (\S+)$/;

/** What a decision says. Its text is an event's one line, shortened: how an operation ended, the ledger says in full. */
function told(term: string, { ledger }: Moment, { seq, text }: Decision): Reason[] {
  const since = LATE.exec(text)?.[1];
  const entry = ledger.find(({ outcome_seq }) => outcome_seq === seq);
  const whole = entry?.outcome?.detail == null ? null : `operation ${entry.op}, ${words(entry.outcome.code)}: ${entry.outcome.detail}`;
  return [{ term, text: whole ?? text.replace(LATE, "") }, ...(since === undefined ? [] : [{ term: "Known since", text: dateTime(since) }])];
}

function waiting({ waiting, waiting_ms }: Moment): Reason[] {
  if (waiting === null) return [];
  return [{ term: "Waits", text: waiting_ms === null ? waiting : `${waiting.replace(/\.$/, "")}, another ${duration(waiting_ms)}.` }];
}
