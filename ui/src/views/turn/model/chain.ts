/** The chain of turns that actions link, as rows for people: what began each turn, what its agent asked for, what came of it. */
import type {
  ActionChain, ChainAction, ChainBeginning, ChainConfirmation, ChainMessage, ChainStep, ChainStepKind, ChainTurn, DeliveryOutcome, GivenData, TurnId,
} from "../../../generated/wire";
import { actionRefusalCodes, deliveryRefusals, refusalCodes } from "../../../generated/closed";
import type { Tone } from "../../../parts/tone";
import { bytes, duration, ended, plural, sentence, words } from "../../../store/format";
import { who } from "../../sessions/words";
import { toneOfCode } from "../looks";

/** A state as a badge says it. */
export interface ChainState {
  readonly tone: Tone;
  readonly word: string;
}

/** A fact of a step; with an event it leads there. */
export interface ChainFact {
  readonly text: string;
  readonly seq: number | null;
}

/** Data exactly as an agent was given it. */
export interface ChainData {
  readonly title: string;
  readonly given: GivenData;
}

/** A step of a turn. */
export interface ChainRow {
  readonly seq: number;
  readonly kind: ChainStepKind["kind"];
  readonly title: string;
  /** What stands behind the title in the type of code: a command. */
  readonly code: string | null;
  /** Words of a message. */
  readonly quote: string | null;
  readonly state: ChainState | null;
  readonly facts: readonly ChainFact[];
  /** The reason, in words. */
  readonly why: string | null;
  /** The setting that would change it. */
  readonly setting: string | null;
  /** Budgets or dead chats decided it: they are shown elsewhere. */
  readonly isAboutDeliveries: boolean;
  readonly data: ChainData | null;
  /** The turn that it leads to. */
  readonly turn: TurnId | null;
  /** A person is asked about it now. */
  readonly asks: boolean;
}

/** A turn of the chain. */
export interface ChainGroup {
  readonly turn: TurnId;
  readonly seq: number;
  readonly endSeq: number | null;
  readonly title: string;
  readonly code: string | null;
  readonly quote: string | null;
  /** Where it is, and how far along the chain. */
  readonly facts: readonly string[];
  readonly cause: TurnId | null;
  readonly state: ChainState;
  readonly data: ChainData | null;
  readonly rows: readonly ChainRow[];
  readonly omitted: number;
}

/** Delivery turns that may follow one message. */
const MOST_DEPTH = 3;

/** What is delivered, by its outcome. */
export const OUTCOME_TITLES: Readonly<Record<DeliveryOutcome, string>> = { output: "Action result", event: "Event", error: "Error" };

const DATA_TITLE = "What the agent was given";

/** The groups of a chain, oldest first. */
export function groupsOf({ turns }: ActionChain): ChainGroup[] {
  const reminders = new Set(turns.filter(({ beginning }) => beginning.by === "delivery" && beginning.origin === "reminder").map(({ turn }) => turn));
  return turns.map((turn) => groupOf(turn, reminders));
}

/** `reminders` are the turns that a reminder began. */
function groupOf(turn: ChainTurn, reminders: ReadonlySet<TurnId>): ChainGroup {
  const { beginning } = turn;
  const delivery = beginning.by === "delivery" ? beginning : null;
  return {
    turn: turn.turn,
    seq: turn.seq,
    endSeq: turn.end_seq,
    title: beganWith(beginning),
    code: delivery?.action.command ?? null,
    quote: beginning.by === "message" ? beginning.text : null,
    facts: factsOf(turn),
    cause: delivery?.cause ?? null,
    state: endOf(turn),
    data: turn.given === null ? null : { title: DATA_TITLE, given: turn.given },
    rows: turn.steps.map((step) => rowOf(step, turn.terminal !== null, reminders)),
    omitted: turn.steps_omitted,
  };
}

function beganWith(beginning: ChainBeginning): string {
  switch (beginning.by) {
    case "message":
      return `Message of ${beginning.sender}`;
    case "schedule":
      return `Schedule ${beginning.schedule}`;
    case "delivery": {
      const title = OUTCOME_TITLES[beginning.outcome];
      if (beginning.origin === "reminder") return `${title}: a reminder came due`;
      return beginning.outcome === "event" ? `${title}: ${beginning.action.name}` : `${title} of ${beginning.action.name}`;
    }
  }
}

function factsOf({ beginning, channel, chat, chat_type, thread }: ChainTurn): string[] {
  const place = `${channel}, ${chat_type === "group" ? "group" : "chat"} ${chat}${thread === null ? "" : `, thread ${thread}`}`;
  if (beginning.by !== "delivery") return [place];
  const facts = [`for ${beginning.requester}`, place, `delivery ${String(beginning.depth)} of at most ${String(MOST_DEPTH)}`];
  if (beginning.corrections !== null) facts.push(`${plural(beginning.corrections, "correction")} left`);
  if (beginning.cause === null) facts.push("delivered from outside");
  return facts;
}

function endOf({ terminal, queued }: ChainTurn): ChainState {
  if (terminal === null) return queued ? { tone: "held-timing", word: "waits" } : { tone: "accent", word: "running" };
  switch (terminal.state) {
    case "replied":
      return { tone: "ok", word: "answered" };
    case "silent":
      return { tone: "dropped", word: terminal.reason === "directives_only" ? "no text" : "no reply" };
    case "failed":
      return { tone: "danger", word: "failed" };
    case "unknown":
      return { tone: "warn", word: "unknown" };
    case "blocked":
      return { tone: "warn", word: words(terminal.gate) };
    default:
      return { tone: "dropped", word: words(terminal.state) };
  }
}

const EMPTY: Omit<ChainRow, "seq" | "kind" | "title"> = {
  code: null, quote: null, state: null, facts: [], why: null, setting: null, isAboutDeliveries: false, data: null, turn: null, asks: false,
};

function rowOf({ seq, step }: ChainStep, isOver: boolean, reminders: ReadonlySet<TurnId>): ChainRow {
  const row = { ...EMPTY, seq, kind: step.kind };
  switch (step.kind) {
    case "action":
      return { ...row, ...ofAction(step, isOver) };
    case "delivered":
      return { ...row, title: reminders.has(step.turn) ? "Reminder to the agent" : "Result to the agent", turn: step.turn };
    case "not_delivered": {
      const isAboutDeliveries = ["dead_target", "requester_budget", "total_budget"].includes(step.reason);
      const about = deliveryRefusals.find(({ code }) => code === step.reason)?.about ?? "";
      const state: ChainState = { tone: "danger", word: words(step.reason) };
      return { ...row, title: "Result not delivered to the agent", state, why: [about, sentence(step.detail)].join(" ").trim(), setting: step.setting, isAboutDeliveries };
    }
    case "stopped":
      return { ...row, title: "Stopped before the agent", state: { tone: "warn", word: words(step.gate) }, why: sentence(step.detail), setting: step.setting, isAboutDeliveries: step.gate === "dead_target" };
    case "warned":
      return { ...row, title: sentence(step.detail), state: { tone: "warn", word: "warning" } };
    case "message":
      return { ...row, ...ofMessage(step) };
    case "target_dead": {
      const about = refusalCodes.find(({ code }) => code === step.refusal)?.about ?? "";
      const why = [about, step.detail === "" ? "" : sentence(step.detail)].join(" ").trim();
      return { ...row, title: `Chat ${step.target.chat} takes nothing more`, state: { tone: "danger", word: words(step.refusal) }, why, isAboutDeliveries: true };
    }
  }
}

function ofAction(action: ChainAction, isOver: boolean): Omit<ChainRow, "seq" | "kind"> {
  const { name, command, payload, confirmation, refusal, answer } = action;
  const about = refusal?.code == null ? "" : (actionRefusalCodes.find(({ code }) => code === refusal.code)?.about ?? "");
  const why = refusal === null ? null : refusal.detail === about ? about : [about, sentence(refusal.detail)].join(" ").trim();
  return {
    ...EMPTY,
    title: name === "" ? "Action" : name,
    code: command ?? payload,
    state: actionState(action, isOver),
    facts: actionFacts(action),
    why,
    setting: refusal?.setting ?? null,
    data: answer === null ? null : { title: DATA_TITLE, given: answer },
    asks: confirmation !== null && confirmation.decided_seq === null && refusal === null && !isOver,
  };
}

function actionState({ confirmation, refusal, started_seq, end }: ChainAction, isOver: boolean): ChainState {
  if (end !== null) {
    if (end.outcome === "error") return { tone: "danger", word: "failed" };
    if (end.exit === null) return { tone: "ok", word: "done" };
    return { tone: end.exit === 0 ? "ok" : "warn", word: `exit status ${String(end.exit)}` };
  }
  if (refusal !== null) return { tone: "warn", word: refusal.code === null ? "actions are off" : words(refusal.code) };
  if (started_seq !== null) return isOver ? { tone: "warn", word: "end unknown" } : { tone: "accent", word: "running" };
  if (isOver) return { tone: "dropped", word: "not begun" };
  return confirmation !== null && confirmation.decided_seq === null ? { tone: "warn", word: "needs permission" } : { tone: "neutral", word: "asked for" };
}

function actionFacts({ is_called, confirmation, allowed_by, started_seq, end }: ChainAction): ChainFact[] {
  const facts: ChainFact[] = [{ text: is_called ? "asked for by a tool call" : "asked for in the answer", seq: null }];
  if (confirmation !== null) facts.push({ text: "confirmation asked for", seq: confirmation.asked_seq }, ...decided(confirmation));
  if (allowed_by !== null) facts.push({ text: `allowed by ${allowed_by}`, seq: started_seq });
  if (started_seq !== null) facts.push({ text: "started", seq: started_seq });
  if (end !== null) {
    const parts = [`ended after ${duration(end.took_ms)}`, end.note ?? "", bytes(end.bytes)];
    facts.push({ text: parts.filter((part) => part !== "").join(", "), seq: end.seq });
  }
  return facts;
}

function decided({ decided_seq, option, by, why, waited_ms }: ChainConfirmation): ChainFact[] {
  if (decided_seq === null) return [];
  const after = waited_ms === null ? "" : ` after ${duration(waited_ms)}`;
  const isGiven = option === "allow_once" || option === "allow_always";
  const isPerson = by !== null && (typeof by !== "string" || by === "console" || by === "cli");
  if (isPerson) return [{ text: `${isGiven ? "confirmed" : "rejected"} by ${who(by)}${after}`, seq: decided_seq }];
  return [{ text: `not confirmed${after}${why === "" ? "" : `: ${why}`}`, seq: decided_seq }];
}

const OPERATIONS: Partial<Record<ChainMessage["operation"], string>> = { send_file: "File", send_voice: "Voice note", react: "Reaction" };

function ofMessage({ operation, text, is_aside, outcome, detail, setting }: ChainMessage): Omit<ChainRow, "seq" | "kind"> {
  const state: ChainState = outcome === null ? { tone: "held-timing", word: detail === null ? "under way" : "waits" } : { tone: toneOfCode(outcome), word: words(outcome) };
  return {
    ...EMPTY,
    title: OPERATIONS[operation] ?? (is_aside ? "Notice" : "Message"),
    quote: text === "" ? null : text,
    state,
    why: detail === null ? null : ended(sentence(detail)),
    setting,
  };
}
