import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import demo from "../../../recordings/demo";
import type { CalendarTime, ReminderLine, ScheduleLine } from "../../generated/wire";
import type { Exchange } from "../../host/recorded";
import { byId, calls, click, layOut, stage } from "../../test/stage";
import SchedulesView from "./SchedulesView.svelte";

beforeEach(layOut);
afterEach(() => (cleanup(), vi.restoreAllMocks()));

const at = "2026-11-28T09:00:00.000Z";
const morning: ScheduleLine = {
  name: "morning", times: "cron 0 9 * * * Europe/Berlin", channel: "telegram", chat: "42", heartbeat: false, paused: false, channel_off: false,
  next: "2026-11-29T08:00:00.000Z", skipped: null,
  last: { turn: 812, at, terminal: { state: "replied" }, said: "Nothing today.", due: { schedule: "morning", due: at, late: true, missed: 2, by: "config" } },
};
const beat: ScheduleLine = {
  ...morning, name: "beat", times: "every 30m", heartbeat: true, paused: true, next: null,
  last: { ...morning.last!, turn: 813, terminal: { state: "silent", reason: "heartbeat_ack" }, said: "", due: { schedule: "beat", due: at, heartbeat: true, by: "config" } },
  skipped: { schedule: "beat", due: at, reason: "no_task", detail: "HEARTBEAT.md holds no task" },
};

const rent: ReminderLine = {
  id: 3, text: "Pay the rent", rule: "every month on the 31st or the last day at 09:00", zone: "Europe/Berlin",
  channel: "telegram", chat: "42", chat_type: "direct", thread: null, requester: { id: "42", name: "alice", display_name: "Alice", is_bot: false },
  turn: 801, at, next: "2026-11-30T08:00:00.000Z", waits: null,
  last: { turn: 805, at: "2026-10-31T10:00:00.000Z", terminal: { state: "replied" }, due: { reminder: 3, due: "2026-10-31T08:00:00.000Z", late_ms: 7_200_000, missed: 1 } },
};

const open = (lines: ScheduleLine[], ...more: Exchange[]) => show(lines, [], [], ...more);
const show = (schedules: ScheduleLine[], reminders: ReminderLine[], times: CalendarTime[], ...more: Exchange[]) =>
  stage(SchedulesView, undefined, { ...demo, calls: [...more, { name: "calendar", result: { times, schedules, reminders } }, ...demo.calls] });
const rows = (): string[] => [...document.querySelectorAll<HTMLElement>("[data-testid='schedule']")].map((row) => row.textContent?.replace(/\s+/g, " ") ?? "");

it("says what comes next and what each said last", async () => {
  await open([morning, beat]);
  expect(rows()).toEqual([
    expect.stringMatching(/morning cron 0 9 \* \* \* Europe\/Berlin.*Next .*telegram 42.*#812 .*answered \(late, for 3 missed times\).*Nothing today\./),
    expect.stringMatching(/beat heartbeat every 30m.*Paused.*#813 .*no reply: The agent acknowledged a heartbeat\..*Skipped .*: HEARTBEAT\.md holds no task/),
  ]);
  expect(byId("schedules").textContent).toContain("2 schedules");
});

it("says in which zone a schedule counts, and in which the page tells times", async () => {
  await open([{ ...morning, times: "cron 0 9 * * * UTC" }]);
  expect(rows()[0]).toContain("cron 0 9 * * * UTC");
  expect(byId("schedule-zones").textContent).toMatch(/this machine's zone.*UTC where it has no zone/);
});

it("says that a channel that is off puts it off", async () => {
  await open([{ ...morning, channel_off: true }]);
  expect(byId("schedule-next").textContent).toBe("When telegram is on again");
});

it("leads to the turn of the last run", async () => {
  const { console } = await open([morning]);
  await click(byId("schedule-turn"));
  expect([console.view, console.selected?.turn]).toEqual(["turn", 812]);
});

it("begins a schedule once a person said so, and pauses one", async () => {
  const { host } = await open([morning], { name: "schedule_run", result: [morning] }, { name: "schedule_pause", result: [{ ...morning, paused: true }] });
  await click(byId("schedule-run"));
  expect(calls(host, "schedule_run")).toEqual([]);
  expect(byId("schedule-dialog").textContent).toMatch(/Run morning now\?.*chat 42 on telegram/s);
  await click(byId("confirm"));
  expect(calls(host, "schedule_run")).toEqual([{ name: "morning" }]);
  await click(byId("schedule-pause"));
  expect(calls(host, "schedule_pause")).toEqual([{ name: "morning", paused: true }]);
  expect(byId("schedule-next").textContent).toBe("Paused");
  expect(byId("schedule-pause").textContent).toContain("Resume");
});

it("says how to add one where there is none", async () => {
  await open([]);
  expect(byId("empty").textContent).toContain("[[schedule]]");
  expect(document.querySelector("[data-testid='schedule-zones']")).toBeNull();
});

it("tells of reminders: for whom, when, and what came of the last delivery", async () => {
  const { console } = await show([], [rent], []);
  const row = byId("reminder").textContent?.replace(/\s+/g, " ") ?? "";
  expect(row).toMatch(/Pay the rent every month on the 31st.*Europe\/Berlin.*Next .*telegram 42.*For Alice, set in #801.*#805 .*answered, 2 h late, for 2 missed times/);
  expect(byId("schedules").textContent).toContain("0 schedules, 1 reminder");
  await click(byId("reminder-turn"));
  expect([console.view, console.selected?.turn]).toEqual(["turn", 805]);
});

it("says of a reminder that is told elsewhere in which chat it was set", async () => {
  const set_in = { channel: "discord", chat: "9", chat_type: "direct" } as const;
  await show([], [{ ...rent, chat: "-1002", chat_type: "group", set_in, chat_name: "Family" }], []);
  expect(byId("reminder").textContent).toContain("telegram -1002 (Family), set in discord 9");
});

it("says why a reminder waits", async () => {
  await show([], [{ ...rent, waits: { why: "telegram is off", attempts: 0, next: null } }], []);
  expect(byId("reminder-next").textContent).toBe("Waits: telegram is off");
});

it("cancels a reminder once a person said so", async () => {
  const { host } = await show([], [rent], [], { name: "reminder_cancel", result: [] });
  await click(byId("reminder-cancel"));
  expect(calls(host, "reminder_cancel")).toEqual([]);
  expect(byId("reminder-dialog").textContent).toMatch(/Cancel this reminder\?.*“Pay the rent”.*chat 42 on telegram/s);
  expect([byId("confirm-keep").textContent?.trim(), byId("confirm").textContent]).toEqual(["Keep it", "Cancel the reminder"]);
  await click(byId("confirm"));
  expect(calls(host, "reminder_cancel")).toEqual([{ id: 3 }]);
});
