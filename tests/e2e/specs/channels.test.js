import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { at, eventually, go } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

describe("channels", () => {
  let window;
  before(async () => (window = await open()));
  after(() => window?.close());

  it("are switched off and on, and the journal says by whom", async () => {
    const { browser } = window;
    await go(browser, "channels");
    const card = await at(browser, "channel-slack");
    const state = () => card.getAttribute("data-state");
    await eventually(browser, async () => (await state()) === "up", "slack to be up");
    const toggle = await card.$('[data-testid="channel-switch"]');
    await toggle.click();
    await eventually(browser, async () => (await state()) === "off", "slack to be off");
    assert.equal(await toggle.getAttribute("aria-checked"), "false");
    await picture(browser, "channels-slack-off");
    await toggle.click();
    await eventually(browser, async () => (await state()) === "up", "slack to be up again");

    await go(browser, "live");
    const filter = await at(browser, "filter");
    await filter.setValue("channel:slack kind:channel_state");
    await browser.keys(["Enter"]);
    const grid = await at(browser, "events");
    await eventually(browser, async () => /console/i.test(await grid.getText()), "who switched it");
  });
});
