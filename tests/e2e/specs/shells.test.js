import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { askAgent, at, command, go, press, shows, takeRequest, textOf } from "../harness/page.js";
import { script } from "../harness/script.js";
import { open, picture } from "../harness/window.js";

const run = (line) => [{ text: JSON.stringify({ actions: [{ type: "terminal", payload: { command: line } }] }) }];
const rules = [
  { when: { contains: "[result of terminal]" }, agent: [{ text: "It ran." }] },
  { when: { contains: "first" }, agent: run("cd /; x=kept; printf '\\033[32mgreen\\033[0m and \\033[1;31mred\\033[0m\\n'; ls --color=always | head -12") },
  { when: { contains: "second" }, agent: run("echo \"$PWD is $x\"; false") },
  { when: { contains: "third" }, agent: run("printf 'it %s\\n' runs; sleep 600") },
];
// Whoever writes by hand in the window is `console`. What no list names would be confirmed.
const settings = `
[output]
dialects = ["actions", "silence", "header", "guard", "json"]
[commands]
owner_allow_from = ["console"]
[actions.terminal]
enabled = true
`;

describe("a kept shell", () => {
  let agent;
  let window;
  before(async () => {
    agent = await script(rules, settings);
    window = await open({ config: agent.config });
  });
  after(async () => {
    await window?.close();
    await agent?.close();
  });

  /** Writes as the owner, and confirms the command that the agent asks for. */
  async function ask(words) {
    const { browser } = window;
    await askAgent(browser, words);
    await takeRequest(browser);
    await press(browser, "a");
  }

  it("is there once the agent had a command run in it, with its screen", async () => {
    const { browser } = window;
    await go(browser, "shells");
    await shows(browser, "view-shells", /No shells/);
    await ask("the first");
    await shows(browser, "delivered-in", /turn #2/);
    await go(browser, "shells");
    await shows(browser, "shell", /Shell 1\s*idle[\s\S]*console/);
    await shows(browser, "shell-screen", /green and red[\s\S]*bin/);
    await shows(browser, "shell-commands", /#1[\s\S]*exit 0/);
  });

  it("keeps folder and variables, and shows who asked for what, and how it ended", async () => {
    const { browser } = window;
    await ask("the second");
    await go(browser, "shells");
    await shows(browser, "shell-screen", /\/ is kept/);
    await shows(browser, "shell-commands", /#3[\s\S]*exit 1[\s\S]*#1[\s\S]*exit 0/);
    for (const theme of ["light", "dark"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `shells-${theme}`);
    }
    await (await at(browser, "shell-turn")).click();
    await shows(browser, "view-turn", /the second/);
  });

  it("is seen while a command runs, and ended by an operator, who is asked first", async () => {
    const { browser } = window;
    await ask("the third");
    await go(browser, "shells");
    await shows(browser, "shell-screen", /it runs/);
    await shows(browser, "shell", /running/);
    await (await at(browser, "shell-end")).click();
    await shows(browser, "shell-dialog", /End shell 1\?/);
    await picture(browser, "shells-end");
    await (await at(browser, "confirm")).click();
    await shows(browser, "shell", /ended[\s\S]*an operator ended the shell/);
    await shows(browser, "shell-screen", /the shell has ended: an operator ended the shell/);
    assert.doesNotMatch(await textOf(browser, "shell-terminal"), /End shell/);
  });
});
