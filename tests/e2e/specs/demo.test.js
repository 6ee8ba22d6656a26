import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { at, allAt, eventually, go, textOf } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

describe("the first start", () => {
  let window;
  before(async () => (window = await open()));
  after(() => window?.close());

  it("shows the demonstration flowing on loopback channels", async () => {
    const { browser } = window;
    await (await at(browser, "view-live")).waitForDisplayed({ timeout: 30_000 });
    const rows = async () => Number((await textOf(browser, "event-count")).replace(/\D/g, ""));
    const first = await eventually(browser, rows, "the first events");
    await eventually(browser, async () => (await rows()) > first + 20, "more events");
    const grid = await (await at(browser, "events")).getText();
    assert.match(grid, /telegram/);
    assert.match(grid, /held|chunk|decided/);
    await picture(browser, "first-start");

    await go(browser, "turn");
    await eventually(browser, async () => (await allAt(browser, "turn")).length >= 3, "three turns", 60_000);
  });
});
