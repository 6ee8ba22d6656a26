import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { at, command, eventually, go, press, shows, textOf, write } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

describe("compose", () => {
  let window;
  before(async () => (window = await open()));
  after(() => window?.close());

  it("previews and lints a directive as it is typed, and mends it with one key", async () => {
    const { browser } = window;
    const preview = (channel) => browser.$(`[data-testid="preview"][data-channel="${channel}"]`).getText();
    await go(browser, "compose");
    await write(browser, "compose-output", 'Sure <react emoji="fire" /> thing');
    await shows(browser, "lints", /bare-directive/);
    await shows(browser, "clean-text", /^Sure thing$/);
    await shows(browser, "parsed", /react\s+fire/);
    for (const channel of ["telegram", "discord", "slack", "whatsapp", "signal"]) {
      await eventually(browser, async () => /Sure thing/.test(await preview(channel)), `the preview of ${channel}`);
      assert.match(await preview(channel), /🔥/, channel);
    }
    assert.match(await preview("slack"), /fire/, "Slack is given the shortcode name");
    await picture(browser, "compose-bare-directive");

    await press(browser, Key.Alt, Key.Enter);
    await eventually(browser, async () => !/bare-directive/.test(await textOf(browser, "compose-results")), "the finding to go");
    await shows(browser, "compose-output", /<actions>\s*<react emoji="fire" \/>\s*<\/actions>/);
    await shows(browser, "clean-text", /^Sure thing$/);
  });

  it("marks and names a secret, and previews the answer as it is sent: masked", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-output", "The key is sk-abcdefghijklmnopqrstuvwx. <actions><voice>password: hunter2</voice></actions>");
    await shows(browser, "masked", /sk\s+1:12[\s\S]*OpenAI[\s\S]*named\s+1:67[\s\S]*in voice/);
    await shows(browser, "clean-text", /^The key is \[redacted\]\.$/);
    await shows(browser, "parsed", /voice\s+password: \[redacted\]/);
    await eventually(browser, async () => /The key is \[redacted\]/.test(await textOf(browser, "previews")), "the previews");
    // The editor draws its marks a frame after the findings are there.
    const marked = () => browser.execute(() => [...document.querySelectorAll(".cm-masked")].map((mark) => mark.textContent));
    await eventually(browser, async () => (await marked()).length === 2, "two marks");
    assert.deepEqual(await marked(), ["sk-abcdefghijklmnopqrstuvwx", "hunter2"]);
    for (const theme of ["dark", "light"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `compose-secrets-${theme}`);
    }
  });

  it("sends through a channel and follows the turn", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-output", '<actions><react emoji="tada" /></actions>Sent from the window');
    await press(browser, Key.Ctrl, Key.Enter);
    await (await at(browser, "view-turn")).waitForDisplayed();
    await shows(browser, "chat", /🎉[\s\S]*Sent from the window/);
    assert.match(await textOf(browser, "ledger"), /react[\s\S]*sent[\s\S]*send_text/);
  });

  it("sends a dry run through a channel that is armed", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-output", "Not for anybody");
    await (await at(browser, "compose-dry")).click();
    await press(browser, Key.Ctrl, Key.Enter);
    await (await at(browser, "view-turn")).waitForDisplayed();
    await shows(browser, "chat", /Not for anybody/);
    await shows(browser, "ledger", /send_text[\s\S]*Not for anybody/);
    await shows(browser, "ledger", /dry run/);
    assert.doesNotMatch(await textOf(browser, "ledger"), /\bsent\b/);
  });
});
