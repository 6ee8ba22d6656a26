import type { QueueLab, QueueLabMessage } from "../../../generated/wire";

/** The lab as the dialog has it. */
export interface LabForm {
  mode: string;
  drop: string;
  cap: number;
  debounce_ms: number;
  /** How long a message waits for more of its sender before it comes into the queue. */
  channel_debounce_ms: number;
  run_ms: number;
  /** A line each: the time in milliseconds, then the text. */
  messages: string;
}

/** What the backend is asked. A line without a time comes with the one above it; an empty line is none. */
export function labOf({ messages: lines, ...form }: LabForm): QueueLab {
  const messages: QueueLabMessage[] = [];
  for (const line of lines.split("\n").filter((one) => one.trim() !== "")) {
    const [, at, text] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    messages.push({ at_ms: at === undefined ? (messages.at(-1)?.at_ms ?? 0) : Number(at), text: text ?? line.trim() });
  }
  const whole = (value: number): number => Math.max(0, Math.round(Number.isFinite(value) ? value : 0));
  return { ...form, cap: whole(form.cap), debounce_ms: whole(form.debounce_ms), channel_debounce_ms: whole(form.channel_debounce_ms), run_ms: whole(form.run_ms), messages };
}

/** A time as a share of all, in percent. */
export const share = (ms: number, all: number): number => (all <= 0 ? 0 : Math.min(100, Math.max(0, (ms / all) * 100)));
