import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { allAt, at, dive, eventually, go, textOf } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

describe("the first start", () => {
  let window;
  before(async () => (window = await open()));
  after(() => window?.close());

  it("shows the demonstration flowing on loopback channels", async () => {
    const { browser } = window;
    await (await at(browser, "view-live")).waitForDisplayed();
    await dive(browser);
    const rows = async () => Number((await textOf(browser, "event-count")).replace(/\D/g, ""));
    const first = await eventually(browser, rows, "the first events");
    await eventually(browser, async () => (await rows()) > first + 20, "more events");
    // Among the rows in sight, which follow the newest ones.
    const seen = new Set();
    await eventually(
      browser,
      async () => {
        const text = await textOf(browser, "events");
        for (const word of ["telegram", "discord", "received", "chunk", "held", "ended"]) if (text.includes(word)) seen.add(word);
        return seen.size === 6;
      },
      "a conversation on two channels",
    );
    await picture(browser, "first-start");

    // The end moves with the window's height, and nobody scrolled.
    for (const [width, height] of [[1024, 700], [1440, 900]]) {
      await browser.setWindowSize(width, height);
      await picture(browser, `first-start-${width}`);
      await (await at(browser, "following")).waitForDisplayed();
    }

    await go(browser, "turn");
    await eventually(browser, async () => (await allAt(browser, "turn")).length >= 3, "three turns");
    assert.match(await textOf(browser, "turns"), /Shall we plan the weekend in the hills/);
  });
});
