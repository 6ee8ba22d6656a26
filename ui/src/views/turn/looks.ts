/** Which look means what; the same for strip, raw text, waterfall and badges. */
import type { Outcome, Reached, Receipt } from "../../generated/wire";
import type { Tone } from "../../parts/tone";
import { duration, time } from "../../store/format";
import type { CellFate } from "./model/cells";

/** Class of a band (theme/base.css): every fate has its own pattern, so that nothing is told by colour alone. */
export const PATTERN: Record<CellFate, string> = {
  show: "pattern-shown",
  strip: "pattern-stripped",
  drop: "pattern-dropped",
  held: "pattern-held",
  leak: "pattern-leaked",
  open: "pattern-open",
  ahead: "",
};

const TONES: Record<Outcome["code"], Tone> = {
  sent: "ok",
  unchanged: "ok",
  dry_run: "info",
  unsupported: "dropped",
  cancelled: "dropped",
  not_allowed: "danger",
  missing: "danger",
  failed: "danger",
  unknown: "warn",
};

/** Tone of the end of an operation. */
export const toneOfCode = (code: Outcome["code"]): Tone => TONES[code];

/** Tone of an outcome; what is under way waits for its time. */
export const toneOf = (outcome: Outcome | null): Tone => (outcome === null ? "held-timing" : TONES[outcome.code]);

/** An outcome as a badge says it: `sent`, `dry run`, and how long it took where that is worth saying. Without one it is under way, or waits for something. */
export function wordOf(outcome: Outcome | null, tookMs: number | null, waiting: string | null = null): string {
  if (outcome === null) return waiting === null ? "under way" : "waits";
  const word = outcome.code.replaceAll("_", " ");
  return tookMs === null || tookMs === 0 ? word : `${word} · ${duration(tookMs)}`;
}

/** As words that are not those of an outcome: what was sent is acknowledged, what was sent on left the platform. */
const RECEIPTS: Record<Receipt, string> = { sent: "sent on", delivered: "delivered", read: "read", played: "played" };

/** How far a message has come, and when: `read 12:05`. */
export const reachedWord = ({ receipt, at }: Reached): string => `${RECEIPTS[receipt]} ${time(at).slice(0, 5)}`;
