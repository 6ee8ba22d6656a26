import { silentReasons } from "../../generated/closed";
import type { ReminderLine, ReminderRun, ScheduleLine, ScheduleRun } from "../../generated/wire";
import { count, dateTime, duration, words } from "../../store/format";

/** `2026-12-01 09:00`: what comes due does so by the minute. */
export const minute = (at: string): string => dateTime(at).slice(0, 16);

/** The next time of a schedule, in words. */
export function when({ paused, next, channel_off, channel }: ScheduleLine): string {
  if (paused) return "Paused";
  if (next === null) return "No next time";
  return channel_off ? `When ${channel} is on again` : `Next ${minute(next)}`;
}

/** The end of a run, in words. */
export function ended({ terminal }: Pick<ScheduleRun, "terminal">): string {
  if (terminal === null) return "running";
  if (terminal.state === "silent") return `no reply: ${silentReasons.find(({ code }) => code === terminal.reason)?.about ?? terminal.reason}`;
  if (terminal.state === "failed") return `failed: ${terminal.detail}`;
  return terminal.state === "replied" ? "answered" : words(terminal.state);
}

/** That a run was late, and for how many times it stands. */
export const lateness = ({ due }: ScheduleRun): string =>
  !due.late ? "" : due.missed === undefined || due.missed === 0 ? " (late)" : ` (late, for ${count(due.missed + 1)} missed times)`;

/** The next time of a reminder, in words. */
export function whenReminded({ next, waits }: ReminderLine): string {
  if (waits !== null) return waits.next === null ? `Waits: ${waits.why}` : `Waits: ${waits.why}. Next attempt ${minute(waits.next)}`;
  return next === null ? "Over" : `Next ${minute(next)}`;
}

/** The name of a chat that an owner named, and the chat in which they set it; empty for a reminder that is told where it was set. */
export function toldElsewhere({ set_in, chat_name }: ReminderLine): string {
  if (set_in === undefined) return "";
  return `${chat_name ? ` (${chat_name})` : ""}, set in ${set_in.channel} ${set_in.chat}`;
}

/** The lateness of the latest delivery of a reminder, and the times that were missed before it. */
export function delivered({ due }: ReminderRun): string {
  const late = due.late_ms < 60_000 ? "" : `, ${duration(due.late_ms)} late`;
  return due.missed === undefined || due.missed === 0 ? late : `${late}, for ${count(due.missed + 1)} missed times`;
}
