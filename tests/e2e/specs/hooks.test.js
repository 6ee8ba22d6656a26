import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { at, command, go, shows, textOf } from "../harness/page.js";
import { script } from "../harness/script.js";
import { say } from "../harness/typed.js";
import { open, picture } from "../harness/window.js";

const hooks = `
[[hooks]]
name = "desk"
where = "kind:turn_ended"
run = ["true"]

[[hooks]]
name = "pager"
where = "kind:turn_ended"
run = ["sh", "-c", "echo no line to the pager >&2; exit 7"]

[[hooks]]
name = "dashboard"
where = "outcome:failed"
url = "https://dashboard.example.org/foldback?key=hidden"
`;

describe("hooks in the settings", () => {
  let agent;
  let window;
  before(async () => {
    agent = await script([{ agent: [{ text: "I listen." }] }], hooks);
    window = await open({ config: agent.config });
  });
  after(async () => {
    await window?.close();
    await agent?.close();
  });

  it("say what each was told last and what failed, and lead to its event", async () => {
    const { browser } = window;
    await go(browser, "settings");
    await shows(browser, "hooks", /desk[\s\S]*Never told of anything[\s\S]*dashboard[\s\S]*https:\/\/dashboard\.example\.org\n/);
    assert.doesNotMatch(await textOf(browser, "hooks"), /hidden/, "an address may hold a key");
    await say(browser, "Hello");
    await shows(browser, "chat", /I listen\./);
    await go(browser, "settings");
    await shows(browser, "hooks", /desk[\s\S]*1 told[\s\S]*true: exit status: 0[\s\S]*pager[\s\S]*1 failed[\s\S]*no line to the pager[\s\S]*dashboard[\s\S]*0 told/);
    for (const theme of ["dark", "light"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `hooks-${theme}`);
    }
    await (await browser.$('[data-hook="pager"] [data-testid="hook-latest-event"]')).click();
    await (await at(browser, "view-live")).waitForDisplayed();
    await shows(browser, "event-inspector", /hook ended[\s\S]*pager/);
  });
});
