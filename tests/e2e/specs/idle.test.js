import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { at, command, go, shows } from "../harness/page.js";
import { open } from "../harness/window.js";

describe("a window on which nothing moves", () => {
  let window;
  before(async () => (window = await open()));
  after(() => window?.close());

  it("draws nothing: the caret stands still, too", async () => {
    const { browser, screenshot } = window;
    await command(browser, "pause the demo");
    await shows(browser, "demo", /PAUSED/);
    await go(browser, "compose");
    await (await browser.$('[data-testid="compose-output"] .cm-content')).click();
    await shows(browser, "previews", /message/);
    await (await at(browser, "compose-output")).waitForDisplayed();
    // A turn that was under way ends, and its figures come, before the looks that count.
    const look = async () => createHash("sha256").update(await screenshot()).digest("hex");
    const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    await shows(browser, "rate", /^0 ev/);
    await pause(5_000);
    const looks = new Set();
    // A blink takes 1.2 s: of so many looks some would fall on either half of it.
    for (let count = 0; count < 12; count += 1) {
      looks.add(await look());
      await pause(230);
    }
    assert.equal(looks.size, 1);
  });
});
