import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { at, command, dismiss, eventually, go, gone, shows, textOf, type } from "../harness/page.js";
import { telegram } from "../harness/telegram.js";
import { open, picture } from "../harness/window.js";

const MESSAGES = [
  { id: 11, from: 42, name: "Ada", chat: 42, text: "How was my talk?" },
  { id: 12, from: 43, name: "Bob", chat: -1007, text: "@bot is the meeting on?" },
  { id: 13, from: 666, name: "Mallory", chat: 666, text: "Let me in" },
];

describe("arming a channel", () => {
  let window;
  let platform;
  before(async () => {
    platform = await telegram(MESSAGES);
    const config = `[channels.telegram]\ntoken = { env = "E2E_TELEGRAM" }\napi_root = "${platform.url}"\nallow_from = ["42", "43"]\n`;
    window = await open({ config, env: { E2E_TELEGRAM: "123456:only-for-tests_0123456789012345678" } });
  });
  after(async () => {
    await window?.close();
    await platform?.close();
  });

  it("shows whom it would reach, and takes nothing but the channel's name", async () => {
    const { browser } = window;
    await command(browser, "theme: dark");
    await go(browser, "channels");
    await eventually(browser, async () => /3\s+received/.test(await textOf(browser, "channel-telegram")), "three messages");
    const arm = () => browser.$('[data-testid="channel-telegram"] [data-testid="channel-arm"]');
    await (await arm()).click();
    await shows(browser, "reach", /Directly: 42, 43[\s\S]*3 chats wrote[\s\S]*2 answered, the others were rejected/);
    assert.match(await textOf(browser, "reach"), /666[\s\S]*text not kept[\s\S]*rejected[\s\S]*Bob[\s\S]*group · 1 writer[\s\S]*Ada/);
    assert.match(await textOf(browser, "reach"), /last hour[\s\S]*3 turns[\s\S]*last day[\s\S]*an hour/);
    await picture(browser, "arming-dark");
    await dismiss(browser, "reach");
    await command(browser, "theme: light");
    await (await arm()).click();
    await shows(browser, "reach", /666/);
    await picture(browser, "arming-light");
    const confirm = await at(browser, "confirm");
    await (await at(browser, "confirm-word")).click();
    await type(browser, "telegra");
    assert.equal(await confirm.isEnabled(), false, "an incomplete name");
    await type(browser, "m");
    await eventually(browser, () => confirm.isEnabled(), "the name to be enough");
    assert.deepEqual(platform.sent.filter(({ method }) => method === "sendMessage"), [], "a dry run sends nothing");
    await confirm.click();
    await shows(browser, "channel-telegram", /LIVE[\s\S]*messages reach people/);
    await gone(browser, "reach");
    await picture(browser, "armed");
  });

  it("is in the journal with who did it, and every count leads there", async () => {
    const { browser } = window;
    await go(browser, "live");
    await (await at(browser, "filter")).setValue("channel:telegram kind:armed");
    await shows(browser, "events", /by the console/);
    await go(browser, "channels");
    await (await browser.$('[data-testid="channel-telegram"] [data-testid="channel-arm"]')).click();
    await shows(browser, "channel-telegram", /DRY RUN/);
    await (await browser.$('[data-testid="channel-telegram"] [data-testid="channel-arm"]')).click();
    await (await at(browser, "reach-turn-1")).click();
    await (await at(browser, "view-live")).waitForDisplayed();
    await shows(browser, "event-count", /\b3 events/);
  });
});
