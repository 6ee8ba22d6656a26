import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { at, command, gone, press, shows, textOf, type } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

describe("the command palette", () => {
  let window;
  before(async () => (window = await open()));
  after(() => window?.close());

  it("opens, finds and runs by keyboard alone", async () => {
    const { browser } = window;
    await (await at(browser, "view-live")).waitForDisplayed();
    await command(browser, "fixtures");
    await (await at(browser, "view-fixtures")).waitForDisplayed();

    await command(browser, "mute");
    await (await at(browser, "muted")).waitForDisplayed();
    await command(browser, "mute");
    await gone(browser, "muted");
  });

  it("closes with Escape and does nothing then", async () => {
    const { browser } = window;
    await press(browser, Key.Ctrl, "k");
    await (await at(browser, "palette-input")).waitForDisplayed();
    await type(browser, "channels");
    await shows(browser, "palette", /Channels/);
    await picture(browser, "palette");
    await press(browser, Key.Escape);
    await gone(browser, "palette-input");
    assert.equal(await textOf(browser, "view-channels"), "");
  });
});
