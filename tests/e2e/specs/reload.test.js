import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { allAt, at, eventually, go, shows, textOf } from "../harness/page.js";
import { open } from "../harness/window.js";

describe("a window that is loaded again", () => {
  let window;
  before(async () => (window = await open()));
  after(() => window?.close());

  it("resumes: the bot went on, the view is the same, and what happens next is shown", async () => {
    const { browser } = window;
    await go(browser, "turn");
    await shows(browser, "turns", /#2\b/);
    await browser.refresh();

    await (await at(browser, "view-turn")).waitForDisplayed();
    await shows(browser, "turns", /#1\b/);
    const turns = (await allAt(browser, "turn")).length;
    assert.ok(turns >= 2, `${turns} turns`);
    await eventually(browser, async () => (await allAt(browser, "turn")).length > turns, "a turn after the reload");

    await go(browser, "live");
    const rows = async () => Number((await textOf(browser, "event-count")).replace(/\D/g, ""));
    const before = await eventually(browser, rows, "the events");
    await eventually(browser, async () => (await rows()) > before, "more events");
  });
});
