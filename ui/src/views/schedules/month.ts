/** The days of a month as weeks, and what is on each of them. */
import type { Calendar, ReminderLine, ScheduleLine, Terminal } from "../../generated/wire";

/** Something on a day: to come, or delivered. */
export interface DayEntry {
  /** The first time of it on that day. */
  readonly at: string;
  /** Its times on that day; 25 stands for more than 24. */
  readonly count: number;
  readonly schedule?: ScheduleLine;
  readonly reminder?: ReminderLine;
  /** The turn of a time that is over. */
  readonly turn?: number;
  /** The end of that turn; `null` while it goes on. */
  readonly terminal?: Terminal | null;
}

export interface CalendarDay {
  readonly date: Date;
  readonly inMonth: boolean;
  readonly isToday: boolean;
  readonly entries: readonly DayEntry[];
}

export const sameDay = (a: Date, b: Date): boolean => a.toDateString() === b.toDateString();

/** The day so many days later, in the zone of the machine. */
export const addDays = (date: Date, days: number): Date => new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);

/** The same day of another month, or its last day. */
export function addMonths(date: Date, months: number): Date {
  const last = new Date(date.getFullYear(), date.getMonth() + months + 1, 0).getDate();
  return new Date(date.getFullYear(), date.getMonth() + months, Math.min(date.getDate(), last));
}

/** The beginnings of the days of six weeks around a month, from a Monday on, and the end of the last. */
export function daysAround(date: Date): Date[] {
  const first = new Date(date.getFullYear(), date.getMonth(), 1);
  const monday = addDays(first, -((first.getDay() + 6) % 7));
  return Array.from({ length: 43 }, (_, day) => addDays(monday, day));
}

/** The days with what is on them: first by time, a schedule before a reminder. */
export function daysOf(days: readonly Date[], month: number, calendar: Calendar, now: Date): CalendarDay[] {
  const schedules = new Map(calendar.schedules.map((line) => [line.name, line]));
  const reminders = new Map(calendar.reminders.map((line) => [line.id, line]));
  const of = (day: number): DayEntry[] => {
    const coming = calendar.times.filter((time) => time.day === day).map(({ first, count, schedule, reminder }): DayEntry => {
      const line = schedule === null ? undefined : schedules.get(schedule);
      const set = reminder === null ? undefined : reminders.get(reminder);
      return { at: first, count, ...(line && { schedule: line }), ...(set && { reminder: set }) };
    });
    const date = days[day]!;
    const over = [
      ...calendar.schedules.flatMap((schedule) => (schedule.last ? [{ at: schedule.last.at, count: 1, schedule, turn: schedule.last.turn, terminal: schedule.last.terminal }] : [])),
      ...calendar.reminders.flatMap((reminder) => (reminder.last ? [{ at: reminder.last.at, count: 1, reminder, turn: reminder.last.turn, terminal: reminder.last.terminal }] : [])),
    ].filter(({ at }) => sameDay(new Date(at), date));
    return [...over, ...coming].sort((a, b) => a.at.localeCompare(b.at));
  };
  return days.slice(0, -1).map((date, day) => ({ date, inMonth: date.getMonth() === month, isToday: sameDay(date, now), entries: of(day) }));
}

/** True where both are the same days. */
export const sameDays = (a: readonly Date[], b: readonly Date[]): boolean => a.length === b.length && a.every((day, place) => day.getTime() === b[place]?.getTime());

/** The sign of an entry: its time, or ✓ where its turn was answered, ✗ where it failed, and · where it ended otherwise or goes on. */
export function mark({ at, turn, terminal }: DayEntry): string {
  if (turn === undefined) return clock(at);
  if (terminal?.state === "replied") return "✓";
  return terminal?.state === "failed" ? "✗" : "·";
}

/** The title of an entry. */
export const titleOf = ({ schedule, reminder }: DayEntry): string => schedule?.name ?? reminder?.text ?? "";

/** `09:00` in the zone of the machine. */
export const clock = (at: string): string => new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
