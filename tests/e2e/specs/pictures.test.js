import { after, before, describe, it } from "node:test";
import assert from "node:assert/strict";
import { allAt, command, eventually, go, shows } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

/** What stands in a view once it has something to show. */
const signs = {
  live: ["events", /#\d/],
  turn: ["hold-map-pane", /bytes in \d/],
  compose: ["previews", /message/],
  fixtures: ["fixtures-matrix", /telegram/],
  channels: ["channel-slack", /up/],
  sessions: ["session-list", /turn/],
  settings: ["secrets-table", /OpenAI/],
};

describe("every view in both themes", () => {
  let window;
  before(async () => (window = await open()));
  after(() => window?.close());

  it("is kept as a picture", async () => {
    const { browser } = window;
    await go(browser, "turn");
    await eventually(browser, async () => (await allAt(browser, "turn")).length >= 6, "six turns", 90_000);
    for (const [title, name] of [["dark", "dark"], ["light", "light"]]) {
      await command(browser, `theme: ${title}`);
      const scheme = await browser.execute(() => getComputedStyle(document.documentElement).colorScheme);
      assert.equal(scheme, name);
      for (const [view, sign] of Object.entries(signs)) {
        await go(browser, view);
        await shows(browser, ...sign);
        await picture(browser, `${view}-${name}`);
      }
    }
  });
});
