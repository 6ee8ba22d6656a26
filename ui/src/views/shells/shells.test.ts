import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import demo from "../../../recordings/demo";
import type { ShellLine, ShellScreen } from "../../generated/wire";
import { byId, calls, click, found, layOut, settle, stage } from "../../test/stage";
import ShellsView from "./ShellsView.svelte";

beforeEach(layOut);
afterEach(() => (cleanup(), vi.restoreAllMocks()));

const at = "2026-11-28T09:00:00.000Z";
const shell: ShellLine = {
  number: 2, owner: "alice", session: "telegram:42", started: at, state: "running", why_ended: null, earlier: 3, revision: 7,
  commands: [
    { turn: 41, command: "cd /srv && ls", started: at, ended: "2026-11-28T09:00:02.000Z", exit: 2, note: null },
    { turn: 42, command: "make test", started: at, ended: null, exit: null, note: null },
  ],
};
const over: ShellLine = { ...shell, number: 1, owner: "bob", state: "ended", why_ended: "nothing ran in it for 30 minutes", commands: [], earlier: 0 };
const screen: ShellScreen = {
  number: 2, revision: 7, columns: 120,
  lines: [[{ text: "$ make test", bold: true }], [{ text: "ok ", colour: "2" }, { text: "all", colour: "#ff0000", inverse: true }], [], [{ text: "  end" }]],
};

async function open(shells: ShellLine[]) {
  const staged = await stage(ShellsView, undefined, { ...demo, calls: [{ name: "shell_screen", result: screen }, { name: "shell_end", result: shells }, ...demo.calls] });
  staged.host.push({ push: "shells", shells });
  await found(shells.length === 0 ? "empty" : "shell");
  return staged;
}

it("says how a shell comes about where there is none", async () => {
  await open([]);
  expect(byId("empty").textContent).toContain("[actions.terminal]");
});

it("shows whose each shell is, and the screen of the newest with its styles", async () => {
  await open([over, shell]);
  const rows = [...document.querySelectorAll("[data-testid='shell']")].map((row) => row.textContent?.replace(/\s+/g, " ") ?? "");
  expect(rows).toEqual([expect.stringMatching(/Shell 2 running alice telegram:42 make test Since/), expect.stringMatching(/Shell 1 ended bob telegram:42 nothing ran in it for 30 minutes/)]);
  expect(byId("shells").textContent).toContain("1 shell open");
  expect((await found("shell-screen")).textContent).toBe("$ make test\nok all\n\n  end\n");
  const styles = [...byId("shell-screen").querySelectorAll("span")].map((run) => run.getAttribute("style") ?? "");
  expect(styles[1]).toContain("var(--c2)");
});

it("shows each command with its turn and how it ended, the latest first", async () => {
  const { console } = await open([shell]);
  const rows = [...(await found("shell-commands")).querySelectorAll("li")].map((row) => row.textContent?.replace(/\s+/g, " ") ?? "");
  expect(rows).toEqual([expect.stringMatching(/#42 make test running/), expect.stringMatching(/#41 cd \/srv && ls exit 2 2\.0 s|#41 cd \/srv && ls exit 2 2 s/)]);
  expect(byId("shell-history").textContent).toContain("3 earlier commands");
  await click(byId("shell-turn"));
  expect([console.view, console.selected?.turn]).toEqual(["turn", 42]);
});

it("asks for the screen again when the shell went on, and only then", async () => {
  const { host } = await open([shell]);
  await found("shell-screen");
  expect(calls(host, "shell_screen")).toEqual([{ number: 2 }]);
  host.push({ push: "shells", shells: [over, shell] });
  await settle();
  expect(calls(host, "shell_screen")).toHaveLength(1);
  host.push({ push: "shells", shells: [over, { ...shell, revision: 8 }] });
  await settle();
  expect(calls(host, "shell_screen")).toHaveLength(2);
});

it("ends a shell once a person said so, and none that has ended", async () => {
  const { host } = await open([shell]);
  await click(await found("shell-end"));
  expect(calls(host, "shell_end")).toEqual([]);
  expect(byId("shell-dialog").textContent).toContain("End shell 2?");
  await click(byId("confirm"));
  expect(calls(host, "shell_end")).toEqual([{ number: 2 }]);
  host.push({ push: "shells", shells: [over] });
  await settle();
  expect(document.querySelector("[data-testid='shell-end']")).toBeNull();
});
