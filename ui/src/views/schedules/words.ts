import { silentReasons } from "../../generated/closed";
import type { ScheduleLine, ScheduleRun } from "../../generated/wire";
import { count, dateTime, words } from "../../store/format";

/** The next time of a schedule, in words. */
export function when({ paused, next, channel_off, channel }: ScheduleLine): string {
  if (paused) return "Paused";
  if (next === null) return "No next time";
  return channel_off ? `When ${channel} is on again` : `Next ${dateTime(next)}`;
}

/** How a run ended, in words. */
export function ended({ terminal }: ScheduleRun): string {
  if (terminal === null) return "running";
  if (terminal.state === "silent") return `no reply: ${silentReasons.find(({ code }) => code === terminal.reason)?.about ?? terminal.reason}`;
  if (terminal.state === "failed") return `failed: ${terminal.detail}`;
  return terminal.state === "replied" ? "answered" : words(terminal.state);
}

/** That a run was late, and for how many times it stands. */
export const lateness = ({ due }: ScheduleRun): string =>
  !due.late ? "" : due.missed === undefined || due.missed === 0 ? " (late)" : ` (late, for ${count(due.missed + 1)} missed times)`;
