import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { at, command, go, shows, write } from "../harness/page.js";
import { script } from "../harness/script.js";
import { open, picture } from "../harness/window.js";

const rules = [
  { when: { contains: "[result of bash]" }, agent: [{ text: "Your disk has room." }] },
  { agent: [{ text: JSON.stringify({ actions: [{ type: "bash", payload: { command: "echo 53" } }] }) }] },
];
// Whoever writes by hand in the window is `console`.
const settings = `
[output]
dialects = ["json"]
[commands]
owner_allow_from = ["console"]
[deliveries]
per_requester = 2
[actions.bash]
enabled = true
allow = ["echo [0-9]+"]
`;

describe("deliveries to the agent", () => {
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

  const click = async (id) => (await at(window.browser, id)).click();
  const ask = async (words) => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-user", words);
    await click("answers-agent");
    await click("send-telegram");
    await (await at(browser, "view-turn")).waitForDisplayed();
  };

  it("show that none was made, then whose budget they used", async () => {
    const { browser } = window;
    await go(browser, "channels");
    await shows(browser, "deliveries", /Every chat takes deliveries, and none was made within 1 h/);
    await ask("how full is the disk?");
    await shows(browser, "delivered-in", /turn #2/);
    await go(browser, "channels");
    await shows(browser, "budget-total", /1 \/ 600\s*the oldest counts until \d\d:\d\d:\d\d/);
    await shows(browser, "budget-requester", /telegram [\s\S]*1 \/ 2/);
  });

  it("name the turn that asked for them in the list of turns, and lead to it", async () => {
    const { browser } = window;
    await go(browser, "turn");
    await shows(browser, "turn-cause", /#1/);
    await click("turn-cause");
    await shows(browser, "view-turn", /how full is the disk\?/);
  });

  it("show a chat that takes nothing more, and accept deliveries to it again", async () => {
    const { browser } = window;
    await go(browser, "channels");
    await click("fault-plan");
    await (await at(browser, "fault-place")).selectByAttribute("value", "channel:telegram");
    await (await at(browser, "fault-op")).selectByAttribute("value", "send_text");
    await (await at(browser, "fault-fail")).selectByAttribute("value", "forbidden");
    await click("confirm");
    await ask("and now?");
    await shows(browser, "delivered-in", /turn #4/);
    await go(browser, "channels");
    await shows(browser, "dead-target", /dead\s*telegram [\s\S]*forbidden[\s\S]*since [\s\S]*0 requests refused/);
    await shows(browser, "budget-requester", /2 \/ 2\s*full, free again at \d\d:\d\d:\d\d/);
    for (const theme of ["light", "dark"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `deliveries-${theme}`);
    }
    await click("dead-target-revive");
    await shows(browser, "revive-dialog", /Accept deliveries to .* again\?/);
    await picture(browser, "deliveries-revive");
    await click("confirm");
    await browser.waitUntil(async () => !(await (await at(browser, "dead-target")).isExisting()));
    // The budget is no chat's: it stays used.
    const budget = await (await at(browser, "budget-requester")).getText();
    assert.match(budget, /2 \/ 2/);
  });
});
