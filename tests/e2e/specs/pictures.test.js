import { after, before, describe, it } from "node:test";
import assert from "node:assert/strict";
import { allAt, command, eventually, go } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

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
      for (const view of ["live", "turn", "compose", "fixtures", "channels"]) {
        await go(browser, view);
        // The pictures are for people: give charts and previews a moment to be drawn.
        await browser.pause(700);
        await picture(browser, `${view}-${name}`);
      }
    }
  });
});
