import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { at, eventually, go, textOf, write } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

describe("compose", () => {
  let window;
  before(async () => (window = await open()));
  after(() => window?.close());

  it("previews and lints a directive as it is typed, and mends it with one key", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-output", 'Sure <react emoji="fire" /> thing');
    await eventually(
      browser,
      async () => (await textOf(browser, "compose-results")).includes("bare-directive"),
      "the finding of the bare directive",
    );
    assert.match(await textOf(browser, "clean-text"), /^Sure thing$/);
    for (const channel of ["telegram", "discord", "slack", "whatsapp", "signal"]) {
      const preview = await browser.$(`[data-testid="preview"][data-channel="${channel}"]`);
      assert.match(await preview.getText(), /Sure thing/, channel);
    }
    const slack = await browser.$('[data-testid="preview"][data-channel="slack"]');
    assert.match(await slack.getText(), /fire/, "Slack is given the shortcode name");
    await picture(browser, "compose-bare-directive");

    await (await at(browser, "fix")).click();
    await eventually(
      browser,
      async () => !(await textOf(browser, "compose-results")).includes("bare-directive"),
      "the finding to go",
    );
    const raw = await browser.$('[data-testid="compose-output"] .cm-content').getText();
    assert.match(raw, /<actions>/);
  });

  it("sends through a channel and follows the turn", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-output", '<actions><react emoji="tada" /></actions>Sent from the window');
    await browser.keys([Key.Ctrl, Key.Enter]);
    await (await at(browser, "view-turn")).waitForDisplayed();
    await eventually(
      browser,
      async () => (await textOf(browser, "chat")).includes("Sent from the window"),
      "the answer in the chat",
    );
    assert.match(await textOf(browser, "ledger"), /react/);
  });
});
