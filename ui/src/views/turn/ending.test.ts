/** A turn in a list: what became of its actions stands there as a word. */
import { expect, test } from "vitest";
import type { ActionCounts, Terminal, TurnSummary } from "../../generated/wire";
import { canRunAgain, endingOf } from "./ending";

const ONLY_DIRECTIVES: Terminal = { state: "silent", reason: "directives_only" };

function ended(terminal: Terminal, actions?: Partial<ActionCounts>): TurnSummary {
  const counts = actions && { carried_out: 0, refused: [], unknown: 0, ...actions };
  return {
    turn: 7, at: "2026-01-01T00:00:00Z", channel: "telegram", session: null, sender: "Alice", user_text: "disk?", answer: "", terminal, queued: false,
    stopped: false, replayed: false, took_ms: 10, directives: 0, diagnostics: 0, failed_ops: 0, unknown_ops: 0, latency_ms: null, longest_hold: null,
    strokes: [], ...(counts && { actions: counts }),
  };
}

test("an action that was refused, or of which nobody knows, is told apart from one that was carried out", () => {
  expect(endingOf(ended(ONLY_DIRECTIVES), false)).toEqual({ tone: "dropped", word: "no text" });
  expect(endingOf(ended(ONLY_DIRECTIVES, { carried_out: 2 }), false)).toEqual({ tone: "info", word: "2 actions" });
  const refused = endingOf(ended(ONLY_DIRECTIVES, { carried_out: 1, refused: ["denied", "denied", "not_permitted"] }), false);
  expect(refused).toEqual({ tone: "warn", word: "refused: denied, not permitted" });
  expect(endingOf(ended(ONLY_DIRECTIVES, { unknown: 1 }), false)).toEqual({ tone: "warn", word: "1 action unknown" });
});

test("a turn that was answered says so, too", () => {
  expect(endingOf(ended({ state: "replied" }, { carried_out: 1 }), false)).toBeNull();
  expect(endingOf(ended({ state: "replied" }, { refused: ["denied"] }), false)).toEqual({ tone: "warn", word: "refused: denied" });
});

test("a turn that failed can be run again, unless an action of it began", () => {
  const failed: Terminal = { state: "failed", detail: "overloaded" };
  expect(canRunAgain(ended(failed))).toBe(true);
  expect(canRunAgain(ended(failed, { refused: ["denied"] }))).toBe(true);
  expect(canRunAgain(ended(failed, { carried_out: 1 }))).toBe(false);
  expect(canRunAgain(ended(failed, { unknown: 1 }))).toBe(false);
});
