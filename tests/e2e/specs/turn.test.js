import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { at, eventually, go, textOf, write } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

describe("a turn", () => {
  let window;
  before(async () => (window = await open()));
  after(() => window?.close());

  it("is scrubbed by chunk: every pane shows that instant", async () => {
    const { browser } = window;
    await go(browser, "turn");
    // The first turn of the demonstration: a block that is held, a reaction, then text in several chunks.
    const first = await eventually(
      browser,
      async () => {
        const turn = await browser.$('[data-testid="turn"][data-turn="1"]');
        return (await turn.isExisting()) && turn;
      },
      "the first turn",
    );
    await eventually(browser, async () => (await textOf(browser, "turns")).includes("#2"), "the first turn to end");
    await first.click();
    const hold = await at(browser, "hold-map");
    await hold.waitForDisplayed();
    await eventually(browser, async () => (await textOf(browser, "chat")).includes("Which one"), "the whole answer");
    await hold.click();
    await browser.keys([Key.Home]);

    // Chunk by chunk: at the first two nothing is shown, the block is held and the card says why.
    await eventually(
      browser,
      async () => {
        await browser.keys(["."]);
        return /chunk 1/.test(await textOf(browser, "cursor-label"));
      },
      "the first chunk",
    );
    await eventually(browser, async () => /open_block/.test(await textOf(browser, "why-card")), "the reason of the hold");
    assert.doesNotMatch(await textOf(browser, "chat"), /Lovely/);
    await picture(browser, "turn-held");

    let previous = await textOf(browser, "cursor-label");
    await eventually(
      browser,
      async () => {
        await browser.keys(["."]);
        const label = await textOf(browser, "cursor-label");
        const moved = label !== previous;
        previous = label;
        return moved && /Lovely/.test(await textOf(browser, "chat"));
      },
      "the text after the block",
    );
    assert.doesNotMatch(await textOf(browser, "chat"), /Which one/);
    assert.match(await textOf(browser, "directives"), /react/);

    await browser.keys([","]);
    await eventually(browser, async () => (await textOf(browser, "cursor-label")) !== previous, "a step back");
  });

  it("answers why", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-output", "<no-reply/>");
    await browser.keys([Key.Ctrl, Key.Enter]);
    await (await at(browser, "view-turn")).waitForDisplayed();
    await eventually(browser, async () => (await textOf(browser, "hold-map-pane")).includes("stripped"), "the marker");
    await (await at(browser, "ask-why")).click();
    await eventually(browser, async () => /no-reply/.test(await textOf(browser, "why-answer")), "the answer");
    await picture(browser, "turn-why");
  });
});
