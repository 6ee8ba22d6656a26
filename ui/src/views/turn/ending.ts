/** How a turn stands, as one word of a list. */
import type { SilentReason, TurnSummary } from "../../generated/wire";
import type { Tone } from "../../parts/tone";
import { count, plural, words } from "../../store/format";

export interface Ending {
  readonly tone: Tone;
  readonly word: string;
}

/** What did not go well in a turn that was answered, each by itself: what is unknown may have arrived. */
function troubles(turn: TurnSummary): string {
  const { failed_ops, unknown_ops } = turn;
  const parts = [failed_ops > 0 && `${count(failed_ops)} failed`, unknown_ops > 0 && `${count(unknown_ops)} unknown`, actionTroubles(turn)];
  return parts.filter((part) => part !== false && part !== "").join(", ");
}

/** Actions that were refused, each reason once, and those of which nobody knows how they ended. */
function actionTroubles({ actions }: TurnSummary): string {
  if (actions === undefined) return "";
  const reasons = [...new Set(actions.refused)].map((code) => words(code)).join(", ");
  const parts = [reasons !== "" && `refused: ${reasons}`, actions.unknown > 0 && `${plural(actions.unknown, "action")} unknown`];
  return parts.filter((part) => part !== false).join(", ");
}

/** Why an answered message shows no text. An answer of actions alone is one without text, too. */
export const silentWord = (reason: SilentReason): string => (reason === "directives_only" ? "no text" : words(reason));

/** A turn without a text of its own: what became of the actions that its answer was. */
function silent(turn: TurnSummary, reason: SilentReason): Ending {
  const trouble = actionTroubles(turn);
  if (trouble !== "") return { tone: "warn", word: trouble };
  const done = turn.actions?.carried_out ?? 0;
  return done > 0 && reason === "directives_only" ? { tone: "info", word: plural(done, "action") } : { tone: "dropped", word: silentWord(reason) };
}

/** Null where it was answered and all went well. `asks`: it waits for a person's permission. */
export function endingOf(turn: TurnSummary, asks: boolean): Ending | null {
  const { terminal, queued, stopped } = turn;
  if (terminal === null && asks) return { tone: "warn", word: "asks" };
  if (queued) return { tone: "held-timing", word: "waits" };
  if (terminal === null) return { tone: "accent", word: "running" };
  switch (terminal.state) {
    case "replied":
      return troubles(turn) === "" ? null : { tone: "warn", word: troubles(turn) };
    case "failed":
      return stopped ? { tone: "neutral", word: "stopped" } : { tone: "danger", word: "failed" };
    case "unknown":
      return { tone: "danger", word: "unknown" };
    case "blocked":
      return { tone: "warn", word: words(terminal.gate) };
    case "silent":
      return silent(turn, terminal.reason);
    case "command":
      return { tone: "info", word: `/${terminal.name}` };
    default:
      return { tone: "dropped", word: words(terminal.state) };
  }
}

const NO_ROOM: ReadonlySet<string> = new Set(["queue_full", "sender_limit", "dead_target", "shutting_down"]);

/** Whether the message of a turn came to nothing, so that a person can have it run again. An action that began is something. */
export function canRunAgain(turn: TurnSummary | undefined): boolean {
  if (turn?.terminal == null || turn.stopped) return false;
  if (turn.actions !== undefined && turn.actions.carried_out + turn.actions.unknown > 0) return false;
  const { terminal } = turn;
  return terminal.state === "failed" || (terminal.state === "blocked" && NO_ROOM.has(terminal.gate));
}
