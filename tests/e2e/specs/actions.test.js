import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { askAgent, at, command, go, press, shows, takeRequest, textOf } from "../harness/page.js";
import { script } from "../harness/script.js";
import { open, picture } from "../harness/window.js";

const rules = [
  { when: { contains: "[result of bash]" }, agent: [{ text: "Your disk has room." }] },
  { agent: [{ text: JSON.stringify({ actions: [{ type: "bash", payload: { command: "echo 53%; echo watch out >&2" } }] }) }] },
];
// Whoever writes by hand in the window is `console`.
const settings = `
[output]
dialects = ["actions", "silence", "header", "guard", "json"]
[commands]
owner_allow_from = ["console"]
[actions.bash]
enabled = true
`;

describe("an action", () => {
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

  it("waits for a person, and is carried out at their word", async () => {
    const { browser } = window;
    await askAgent(browser, "how full is the disk?");
    await shows(browser, "inspector", /echo 53%; echo watch out/);
    await takeRequest(browser);
    await picture(browser, "actions-confirm");
    await press(browser, "a");
    await shows(browser, "delivered-in", /turn #2/);
    await picture(browser, "actions-asked");
  });

  it("comes back to the agent, whose words answer the same message", async () => {
    const { browser } = window;
    await (await at(browser, "chain-next")).click();
    await shows(browser, "chain", /turn #1[\s\S]*how full is the disk\?[\s\S]*bash[\s\S]*exit status 0[\s\S]*confirmed by the console[\s\S]*turn #2[\s\S]*open[\s\S]*Action result of bash echo 53%; echo watch out >&2/);
    await shows(browser, "chain-data", /"outcome":"output"[\s\S]*stdout[\s\S]*53%[\s\S]*stderr[\s\S]*watch out/);
    await shows(browser, "chat", /Your disk has room\./);
    assert.doesNotMatch(await textOf(browser, "chat"), /result of bash/);
    for (const theme of ["light", "dark"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `actions-result-${theme}`);
    }
    await (await at(browser, "chain-open")).click();
    await shows(browser, "view-turn", /how full is the disk\?/);
    await shows(browser, "delivered-in", /turn #2/);
  });

  it("is in the journal with each of its steps", async () => {
    const { browser } = window;
    await go(browser, "live");
    await (await at(browser, "filter")).setValue("kind:action_started,action_ended,delivery_accepted,delivery_due");
    await shows(browser, "event-count", /\b4 events\b/);
  });
});
