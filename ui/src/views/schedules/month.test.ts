import { cleanup, fireEvent } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import demo from "../../../recordings/demo";
import type { CalendarTime, ReminderLine } from "../../generated/wire";
import { byId, calls, click, layOut, stage } from "../../test/stage";
import { addMonths, daysAround, daysOf, mark } from "./month";
import SchedulesView from "./SchedulesView.svelte";

beforeEach(layOut);
afterEach(() => (cleanup(), vi.restoreAllMocks()));

const today = new Date();
const at = (date: Date, hour: number): string => new Date(date.getFullYear(), date.getMonth(), date.getDate(), hour).toISOString();
const reminder: ReminderLine = {
  id: 3, text: "Pay the rent", rule: "every day at 09:00", zone: "Europe/Berlin", channel: "telegram", chat: "42", chat_type: "direct", thread: null,
  requester: { id: "42", name: "alice", display_name: "Alice", is_bot: false }, turn: 801, at: at(today, 0), next: at(today, 23), waits: null,
  last: { turn: 805, at: at(today, 1), terminal: { state: "replied" }, due: { reminder: 3, due: at(today, 1), late_ms: 0 } },
};
const place = (date: Date): number => daysAround(date).findIndex((day) => day.toDateString() === date.toDateString());
const time: CalendarTime = { day: place(today), first: at(today, 23), count: 25, schedule: null, reminder: 3 };
const show = async () => {
  const staged = await stage(SchedulesView, undefined, {
    ...demo,
    calls: [{ name: "reminder_cancel", result: [] }, { name: "calendar", result: { times: [time], schedules: [], reminders: [reminder] } }, ...demo.calls],
  });
  await click(byId("calendar-month"));
  return staged;
};
const selected = (): HTMLElement => document.querySelector<HTMLElement>("[role='gridcell'][aria-selected='true']")!;

it("lays six weeks around a month, from a Monday on", () => {
  const days = daysAround(new Date(2026, 10, 15));
  expect([days.length, days[0]?.toDateString(), days[42]?.toDateString()]).toEqual([43, "Mon Oct 26 2026", "Mon Dec 07 2026"]);
  expect(daysAround(new Date(2026, 5, 1))[0]?.toDateString()).toBe("Mon Jun 01 2026");
});

it("goes from the 31st to the last day of a shorter month", () => {
  expect(addMonths(new Date(2027, 0, 31), 1).toDateString()).toBe("Sun Feb 28 2027");
  expect(addMonths(new Date(2027, 0, 31), -1).toDateString()).toBe("Thu Dec 31 2026");
});

it("puts what was delivered and what is to come on its day, in order", () => {
  const days = daysOf(daysAround(today), today.getMonth(), { times: [time], schedules: [], reminders: [reminder] }, today);
  const day = days[place(today)]!;
  expect(day.entries.map((entry) => [entry.at, entry.turn, entry.count])).toEqual([[at(today, 1), 805, 1], [at(today, 23), undefined, 25]]);
  expect(days.filter(({ entries }) => entries.length > 0).length).toBe(1);
});

it("marks as answered only what was answered", () => {
  const entry = { at: at(today, 1), count: 1, reminder, turn: 805 };
  expect(mark({ ...entry, terminal: { state: "replied" } })).toBe("✓");
  expect(mark({ ...entry, terminal: { state: "failed", code: "agent_error", detail: "No agent." } as never })).toBe("✗");
  expect(mark({ ...entry, terminal: null })).toBe("·");
  expect(mark({ at: at(today, 9), count: 1, reminder })).toBe("09:00");
});

it("draws the times of an answer on no other month than it was asked for", async () => {
  const { host } = await show();
  expect(byId("month").textContent).toContain("23:00");
  vi.spyOn(host, "call").mockReturnValue(new Promise(() => undefined));
  await click(byId("month-behind"));
  expect(byId("month").textContent).not.toContain("23:00");
  await click(byId("month-before"));
  expect(byId("month").textContent).toContain("23:00");
});

it("shows the day of today with all that is on it", async () => {
  await show();
  expect(selected().getAttribute("aria-current")).toBe("date");
  expect(selected().textContent?.replace(/\s+/g, " ")).toMatch(/✓ Pay the rent.*23:00 Pay the rent ×24\+/);
  expect(byId("day-list").textContent?.replace(/\s+/g, " ")).toMatch(/Turn #805 answered.*23:00.*every day at 09:00, Europe\/Berlin, more than 24 times.*telegram 42, for Alice/);
});

it("is used with the keyboard: days, weeks and months", async () => {
  await show();
  const key = async (name: string): Promise<string | undefined> => {
    await fireEvent.keyDown(selected(), { key: name });
    await new Promise((resolve) => setTimeout(resolve));
    expect(document.activeElement).toBe(selected());
    return selected().dataset["day"];
  };
  const tomorrow = new Date(today.getFullYear(), today.getMonth(), today.getDate() + 1);
  expect(await key("ArrowRight")).toBe(String(tomorrow.getDate()));
  expect(await key("ArrowLeft")).toBe(String(today.getDate()));
  expect(await key("PageDown")).toBe(String(addMonths(today, 1).getDate()));
  const name = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" }).format(addMonths(today, 1));
  expect(byId("month-name").textContent).toBe(name);
});

it("is still shown when one comes back to Schedules", async () => {
  await show();
  cleanup();
  await stage(SchedulesView, undefined, { ...demo, calls: [{ name: "calendar", result: { times: [time], schedules: [], reminders: [reminder] } }, ...demo.calls] });
  expect(byId("month").textContent).toContain("23:00");
  await click(byId("calendar-list"));
  expect(document.querySelector("[data-testid='month']")).toBeNull();
});

it("has the chosen day in view, however it was chosen", async () => {
  const shown: (string | undefined)[] = [];
  Element.prototype.scrollIntoView = function (this: HTMLElement) { shown.push(this.dataset["day"]); };
  await show();
  expect(shown.at(-1)).toBe(String(today.getDate()));
  await click(byId("month-behind"));
  expect(shown.at(-1)).toBe(String(addMonths(today, 1).getDate()));
  const before = shown.length;
  await click(byId("month-today"));
  expect([shown.at(-1), shown.length]).toEqual([String(today.getDate()), before + 1]);
});

it("leads to the turn of a delivery", async () => {
  const { console } = await show();
  await click(byId("day-turn"));
  expect([console.view, console.selected?.turn]).toEqual(["turn", 805]);
});

it("cancels a reminder from its day, once a person said so", async () => {
  const { host } = await show();
  await click(byId("day-cancel"));
  expect(calls(host, "reminder_cancel")).toEqual([]);
  await click(byId("confirm"));
  expect(calls(host, "reminder_cancel")).toEqual([{ id: 3 }]);
});

it("asks for the days that are shown", async () => {
  const { host } = await show();
  await click(byId("month-behind"));
  const asked = calls(host, "calendar").at(-1) as { days: string[] };
  expect(asked.days).toEqual(daysAround(addMonths(today, 1)).map((day) => day.toISOString()));
});
