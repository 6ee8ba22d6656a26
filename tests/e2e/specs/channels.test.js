import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { at, eventually, go, shows, textOf, write } from "../harness/page.js";
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
    assert.equal(await (await at(browser, "channel-telegram")).getAttribute("data-state"), "up", "others stay");
    await picture(browser, "channels-slack-off");
    await toggle.click();
    await eventually(browser, async () => (await state()) === "up", "slack to be up again");

    await go(browser, "live");
    await (await at(browser, "filter")).setValue("channel:slack kind:channel_state");
    await eventually(browser, async () => !/telegram|discord/.test(await textOf(browser, "events")), "only rows of slack");
    await shows(browser, "events", /off \(the console[\s\S]*connecting \(the console[\s\S]*connected/);
  });

  it("have a ledger of what was intended and what came of it, and every count leads to its events", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-output", "For the ledger");
    await (await at(browser, "send-signal")).click();
    await (await at(browser, "view-turn")).waitForDisplayed();
    await shows(browser, "ledger", /send_text[\s\S]*sent/);
    await go(browser, "channels");
    await (await browser.$('[data-testid="channel-signal"] [data-testid="channel-ledger"]')).click();
    await shows(browser, "book-settled", /send text[\s\S]*For the ledger[\s\S]*sent/);
    assert.match(await textOf(browser, "book-open"), /everything intended has its outcome/);
    assert.match(await textOf(browser, "book-dead"), /nothing failed, and nothing is unknown/);
    await picture(browser, "channels-ledger");
    const total = Number(await textOf(browser, "book-settled-total"));
    await (await at(browser, "book-settled-total")).click();
    await (await at(browser, "view-live")).waitForDisplayed();
    await shows(browser, "event-count", new RegExp(`\\b${total} events?`));
  });
});
