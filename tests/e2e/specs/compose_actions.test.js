import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { at, command, eventually, go, press, shows, textOf, type, write } from "../harness/page.js";
import { script } from "../harness/script.js";
import { open, picture } from "../harness/window.js";

// Whoever writes by hand in the window is `console`.
const settings = `
[output]
dialects = ["actions", "silence", "header", "guard", "json"]
[commands]
owner_allow_from = ["console"]
[actions.bash]
enabled = true
allow = ["uptime"]
deny = ["shutdown"]
[actions.event]
enabled = true
`;

describe("actions in compose", () => {
  let agent;
  let window;
  before(async () => {
    agent = await script([{ agent: [{ text: "Hello." }] }], settings);
    window = await open({ config: agent.config });
  });
  after(async () => {
    await window?.close();
    await agent?.close();
  });

  const inBothThemes = async (browser, name) => {
    for (const theme of ["dark", "light"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `${name}-${theme}`);
    }
  };

  it("are written with the keyboard alone: name, keys and the rest are offered", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-output", "Let me look.\n{");
    await shows(browser, "compose-actions", /bash[\s\S]*event[\s\S]*event_cancel[\s\S]*event_list[\s\S]*terminal\s+off/);
    await picture(browser, "compose-actions-offered");
    await press(browser, Key.Tab);
    await shows(browser, "compose-output", /\{"type":"bash","payload":\{"command":""\}\}/);
    await type(browser, "df -h");
    await shows(browser, "lints", /action-confirmed[\s\S]*waits for a confirmation/);
    await eventually(browser, async () => /bash\s+asked first\s+df -h/.test(await textOf(browser, "previews")), "the outcome under the previews");

    await write(browser, "compose-output", '{"type":"event","payload":{');
    await shows(browser, "compose-actions", /description\s+required[\s\S]*send_in/);
    await picture(browser, "compose-actions-keys");
    await press(browser, Key.Tab);
    await shows(browser, "compose-output", /"description":""$/m);
    assert.equal(await (await at(browser, "compose-actions")).isExisting(), false, "nothing is offered for a text");
  });

  it("are linted as the corrector would say it, and mended with one key", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-output", '{"actions":[{"type":"bsah","payload":{"command":"uptime"}},{"type":"bash","payload":{"command":"shutdown now"}},{"type":"terminal","payload":{"command":"ls"}},{"type":"event_cancel","payload":{"id":"3"}},{"type":"bash","payload":{"command":"df -h"}}]}');
    await press(browser, Key.Escape);
    await shows(browser, "lints", /unknown-action[\s\S]*did you mean bash[\s\S]*action-denied[\s\S]*actions\.bash\.deny[\s\S]*action-off[\s\S]*actions\.terminal\.enabled[\s\S]*invalid-payload[\s\S]*make \/id a JSON integer[\s\S]*action-confirmed/);
    await eventually(browser, async () => /refused[\s\S]*asked first/.test(await textOf(browser, "previews")), "the outcomes under the previews");
    await inBothThemes(browser, "compose-actions-findings");
    await go(browser, "compose");
    await (await browser.$('[data-testid="compose-output"] .cm-content')).click();
    await press(browser, Key.Ctrl, Key.Home);
    await press(browser, Key.Alt, Key.Enter);
    await eventually(browser, async () => !/unknown-action/.test(await textOf(browser, "compose-results")), "the finding to go");
    await eventually(browser, async () => /bash\s+carried out\s+uptime/.test(await textOf(browser, "previews")), "the action that is allowed");
    await inBothThemes(browser, "compose-actions-outcomes");
  });

  it("are told to be refused where the message is to be a dry run, as its turn tells it", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-output", '{"actions":[{"type":"bash","payload":{"command":"uptime"}},{"type":"bash","payload":{"command":"shutdown now"}}]}');
    await press(browser, Key.Escape);
    await eventually(browser, async () => /bash\s+carried out\s+uptime[\s\S]*bash\s+refused\s+shutdown now/.test(await textOf(browser, "previews")), "the outcomes of a message that is sent");
    await (await at(browser, "compose-dry")).click();
    const refused = /bash\s+refused: dry run\s+uptime\s+It is a dry run, in which nothing is carried out\.[\s\S]*bash\s+refused\s+shutdown now/;
    await eventually(browser, async () => refused.test(await textOf(browser, "previews")), "the outcomes of a dry run");
    await inBothThemes(browser, "compose-actions-dry-run");
    await press(browser, Key.Ctrl, Key.Enter);
    await (await at(browser, "view-turn")).waitForDisplayed();
    await shows(browser, "chain", /uptime[\s\S]*dry run[\s\S]*shutdown now[\s\S]*denied/);
    await inBothThemes(browser, "chain-refused");
  });
});
