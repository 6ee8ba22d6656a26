import { cleanup, render } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import demo from "../../../recordings/demo";
import type { Alarm, OpenedFile, PendingPermission, Status, Workspace, WorkspaceSource } from "../../generated/wire";
import { RecordedHost, type Exchange } from "../../host/recorded";
import { byId, calls, click, found, layOut, press, settle, SlowHost, type } from "../../test/stage";
import App from "../App.svelte";

beforeEach(layOut);
afterEach(cleanup);

const shown = (id: string): boolean => document.querySelector(`[data-testid="${id}"]`) !== null;
const source = (...paths: string[]): WorkspaceSource => ({ of: "files", paths, bot: null });
const status = demo.calls.find((c) => c.name === "status")?.result as Status;

const turnsFile: OpenedFile = {
  path: "/logs/turns.jsonl", format: "lettabot_turns", format_name: "LettaBot turn log", holds: "raw output", conversations: 3, turns: 7, messages: 0, log_lines: 0,
  losses: ["The ids of the messages that were sent are not in the log."], notes: [], left_out: [], unknown: [{ name: "entry presence", count: 1 }],
  damaged: [{ line: 6, offset: 1740, about: "The file ends in the middle of it." }], damaged_places: 1,
  leaks: { turns: 7, leaking_turns: 4, bytes: 1200, findings: 2, found: [{ turn: 780, conversation: "telegram:1", bytes: 44, codes: ["directive"] }] },
};
const opened = (workspace: number, path: string, more: Partial<Workspace> = {}): Workspace => ({
  workspace, name: path.split("/").at(-1) ?? "", source: source(path), turns: 7, events: 210, files: [turnsFile], refused: [], ...more,
});
const answers: Exchange[] = [
  { name: "turns", result: [] },
  { name: "workspaces", result: [] },
  { name: "examples", result: [] },
  { name: "workspace_open", args: { source: source("/logs/turns.jsonl") }, result: opened(1, "/logs/turns.jsonl") },
  { name: "workspace_open", args: { source: source("/logs/chat.json") }, result: opened(2, "/logs/chat.json") },
  { name: "workspace_open", args: { source: source("/logs/other.log") }, failure: { code: "cannot_open", message: "other.log is not opened: it is no recording.", hint: null } },
  { name: "workspace_close", result: [] },
  { name: "link_read", args: { link: "foldback://turn/10@+631ms" }, result: { turn: 10, at_ms: 631, file: null } },
  { name: "link_read", args: { link: "foldback://turn/3?file=/logs/turns.jsonl" }, result: { turn: 3, at_ms: null, file: "/logs/turns.jsonl" } },
  { name: "link_read", args: { link: "foldback://nowhere" }, failure: { code: "bad_link", message: "This is no link to a turn.", hint: null } },
];

function file(): RecordedHost {
  const calls = demo.calls.map((call) => (call.name === "status" ? { ...call, result: { ...status, replayed: true, workspace: "turns.jsonl", demo: null } } : call));
  return new RecordedHost({ ...demo, pushes: [], calls: [{ name: "turns", result: [] }, ...calls] });
}

async function open(host = new RecordedHost({ ...demo, pushes: [], calls: [...answers, ...demo.calls] })): Promise<RecordedHost> {
  for (const number of [1, 2]) host.files.set(number, file());
  render(App, { props: { host } });
  await found("rate");
  return host;
}

/** Waits until the Turn view asks this host for a turn; the view's module loads as long as the machine likes. */
const asks = (host: RecordedHost, turn: number): Promise<void> =>
  vi.waitFor(() => expect(calls(host, "turn")).toContainEqual({ turn }), { timeout: 20_000, interval: 20 });

async function drop(host: RecordedHost, ...paths: string[]): Promise<void> {
  host.drag({ state: "over" });
  host.drag({ state: "dropped", paths });
  await settle();
}

describe("an example", () => {
  it("is opened from the dialog that asks what to open", async () => {
    const example = { name: "turns.jsonl", path: "/logs/turns.jsonl" };
    const host = await open(new RecordedHost({ ...demo, pushes: [], calls: [{ name: "examples", result: [example] }, ...answers, ...demo.calls] }));
    await press(document.body, "o", { ctrlKey: true });
    const list = await found("open-examples");
    expect([...list.querySelectorAll("button")].map((button) => button.textContent)).toEqual(["turns.jsonl"]);
    await click(list.querySelector("button") as HTMLElement);
    expect(calls(host, "workspace_open")).toEqual([{ source: source("/logs/turns.jsonl") }]);
    expect(shown("open-dialog")).toBe(false);
    expect((await found("replayed")).textContent).toContain("turns.jsonl");
  });
});

describe("a file", () => {
  it("is dropped on the window and shown in a workspace of its own, with what came in", async () => {
    const host = await open();
    host.drag({ state: "over" });
    await settle();
    expect(byId("drop-area").textContent).toContain("Drop to open");
    host.drag({ state: "left" });
    await settle();
    expect(shown("drop-area")).toBe(false);
    await drop(host, "/logs/turns.jsonl");
    expect(shown("drop-area")).toBe(false);
    expect(calls(host, "workspace_open")).toEqual([{ source: source("/logs/turns.jsonl") }]);
    expect((await found("replayed")).textContent).toContain("REPLAYED");
    expect(byId("replayed").textContent).toContain("turns.jsonl");
    const said = byId("summary").textContent;
    for (const part of [
      "LettaBot turn log, raw output: 3 conversations, 7 turns", "1,200 bytes of directives in 4 turns without a scanner", "2 findings",
      "Line 6, byte 1,740: The file ends in the middle of it.", "1 × entry presence", "The ids of the messages that were sent are not in the log.",
    ]) expect(said).toContain(part);
    // Nothing that only a live bot has.
    for (const id of ["mode", "rate", "configuration", "rail-channels", "rail-sessions"]) expect(shown(id)).toBe(false);
    await found("view-turn");
    await click(byId("summary-turn"));
    expect(shown("summary")).toBe(false);
    await asks(host.files.get(1) as RecordedHost, 780);
    expect(calls(host, "turn")).toEqual([]);
  });

  it("gives way to the live bot, can be seen again, and is closed", async () => {
    const host = await open();
    await drop(host, "/logs/turns.jsonl");
    await click(byId("summary-done"));
    await click(byId("to-live"));
    expect(shown("replayed")).toBe(false);
    expect(byId("rate").textContent).toContain("ev/s");
    expect(byId("workspaces").textContent).toContain("1 file open");
    await drop(host, "/logs/chat.json");
    expect(byId("replayed").textContent).toContain("chat.json");
    await click(byId("summary-done"));
    await press(document.body, "i", { ctrlKey: true });
    expect(byId("summary").textContent).toContain("LettaBot turn log");
    await click(byId("summary-done"));
    await click(byId("file-close"));
    expect(calls(host, "workspace_close")).toEqual([{ workspace: 2 }]);
    expect(byId("workspaces").textContent).toContain("1 file open");
  });

  it("leaves the alarms and questions of the live bot in sight, with a way back", async () => {
    const host = await open();
    const before: Alarm = { kind: "error", message: "Turn #3 failed.", seq: 3, turn: 3 };
    host.push({ push: "alarm", alarm: before });
    await drop(host, "/logs/turns.jsonl");
    await click(byId("summary-done"));
    expect(byId("to-live").textContent?.trim()).toBe("LIVE BOT");
    host.push({ push: "alarm", alarm: { ...before, seq: 4 } });
    const permission = { number: "p1", turn: 9, sender: "ana", channel: "telegram", request: { id: "1", title: "rm", options: [] } } as unknown as PendingPermission;
    host.push({ push: "permissions", permissions: [permission] });
    await settle();
    expect(byId("live-news").textContent).toBe("LIVE BOT: 1 permission asked, 1 alarm");
    await press(document.body, "L", { ctrlKey: true, shiftKey: true });
    expect(shown("replayed")).toBe(false);
    expect(byId("alarms").textContent).toContain("2 alarms");
  });

  it("that cannot be opened gets one sentence, and one stays where one is", async () => {
    const host = await open();
    await drop(host, "/logs/other.log");
    expect(byId("toast").textContent).toContain("other.log is not opened: it is no recording.");
    expect(shown("replayed")).toBe(false);
  });

  it("that is asked for later is shown, whichever comes first", async () => {
    const slow = new SlowHost({ ...demo, pushes: [], calls: [...answers, ...demo.calls] }, "workspace_open");
    const host = await open(slow);
    await drop(host, "/logs/turns.jsonl");
    await drop(host, "/logs/chat.json");
    expect(byId("opening").textContent).toBe("Opening turns.jsonl, chat.json…");
    await slow.answer();
    expect(shown("replayed")).toBe(false);
    await slow.answer();
    expect(byId("replayed").textContent).toContain("chat.json");
    expect(shown("opening")).toBe(false);
  });

  it("is there again after the page was loaded again", async () => {
    sessionStorage.setItem("foldback.workspace", "1");
    const listed: Exchange[] = [{ name: "workspaces", result: [opened(1, "/logs/turns.jsonl")] }];
    const host = new RecordedHost({ ...demo, pushes: [], calls: [...listed, ...answers, ...demo.calls] });
    host.files.set(1, file());
    render(App, { props: { host } });
    expect((await found("replayed")).textContent).toContain("turns.jsonl");
    expect(shown("summary")).toBe(false);
  });
});

describe("the dialog that opens files", () => {
  it("takes a path, a link, or what the system's dialog answers, and says what is wrong with either", async () => {
    const host = await open();
    await press(document.body, "o", { ctrlKey: true });
    await type(byId("open-target"), "/logs/other.log");
    await click(byId("open-go"));
    expect(byId("open-failure").textContent).toContain("other.log is not opened");
    await type(byId("open-target"), "foldback://nowhere");
    await click(byId("open-go"));
    expect(byId("open-failure").textContent).toContain("This is no link to a turn.");
    await click(byId("open-choose"));
    expect(shown("open-dialog")).toBe(true);
    host.chosen = ["/logs/turns.jsonl"];
    await click(byId("open-choose"));
    await vi.waitFor(() => expect(shown("open-dialog")).toBe(false));
    expect(byId("replayed").textContent).toContain("turns.jsonl");
  });
});

describe("a link", () => {
  it("from outside leads to a moment of a turn of the live bot, also from an open file", async () => {
    const host = await open();
    await drop(host, "/logs/turns.jsonl");
    host.push({ push: "open", targets: ["foldback://turn/10@+631ms"] });
    await settle();
    expect(shown("replayed")).toBe(false);
    await found("view-turn");
    await asks(host, 10);
  });

  it("into a file opens it first", async () => {
    const host = await open();
    host.push({ push: "open", targets: ["foldback://turn/3?file=/logs/turns.jsonl"] });
    await settle();
    expect((await found("replayed")).textContent).toContain("turns.jsonl");
    expect(shown("summary")).toBe(false);
    await asks(host.files.get(1) as RecordedHost, 3);
  });

  it("that leads nowhere gets one sentence; nothing to open asks what", async () => {
    const host = await open();
    host.push({ push: "open", targets: ["foldback://nowhere"] });
    await settle();
    expect(byId("toast").textContent).toContain("This is no link to a turn.");
    host.push({ push: "open", targets: [] });
    await settle();
    expect(shown("open-dialog")).toBe(true);
  });
});
