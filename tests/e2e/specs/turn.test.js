import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { at, command, eventually, go, press, shows, textOf, write } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

/** What the panes show of the moment one stands at. */
async function panes(browser) {
  const stage = (id) => browser.execute((i) => document.querySelector(`[data-testid="${i}"]`)?.dataset.stage, id);
  return {
    chat: await textOf(browser, "chat"),
    why: await textOf(browser, "why-card"),
    directive: await stage("directive"),
    offset: await textOf(browser, "offset"),
  };
}

describe("a turn", () => {
  let window;
  before(async () => (window = await open()));
  after(() => window?.close());

  it("is scrubbed by chunk: every pane shows that instant", async () => {
    const { browser } = window;
    await go(browser, "turn");
    // The first turn of the demonstration: a block that is held, a reaction, then text in several chunks.
    await shows(browser, "turns", /#2\b/);
    // By its number: rows move while new turns come in.
    await command(browser, "#1");
    await shows(browser, "chat", /Which one do you feel like/);
    await (await at(browser, "to-start")).click();
    await shows(browser, "cursor-label", /^byte 0$/);

    /** One chunk on by its key; answers what the panes show then. */
    const step = async (key, label) => {
      await press(browser, key);
      await shows(browser, "cursor-label", label);
      let before = await panes(browser);
      // The moment itself comes from the backend, after the cursor moved.
      return eventually(
        browser,
        async () => {
          const now = await panes(browser);
          const settled = JSON.stringify(now) === JSON.stringify(before);
          before = now;
          return settled && now;
        },
        "the panes to settle",
      );
    };

    const opened = await step(".", /^chunk 1 · byte 21$/);
    await shows(browser, "why-card", /21 bytes.*reason open_block/s);
    assert.match(opened.chat, /plan the weekend/, "the question");
    assert.doesNotMatch(opened.chat, /Lovely|🎉|<actions/, "nothing flashes");
    assert.equal(opened.directive, "parsing");
    await picture(browser, "turn-held");

    await step(".", /^chunk 2 · byte 40$/);
    await shows(browser, "why-card", /40 bytes.*reason open_block/s);

    await step(".", /^chunk 3 · byte 59$/);
    await shows(browser, "why-card", /1 byte .*reason trailing_space/s);
    assert.match(await textOf(browser, "hold-map-pane"), /45 stripped/);

    await step(".", /^chunk 4 · byte 86$/);
    const chat = await shows(browser, "chat", /🎉[\s\S]*Lovely news!/);
    assert.doesNotMatch(chat, /Which one/);
    assert.equal((await panes(browser)).directive, "done");

    await step(",", /^chunk 3 · byte 59$/);
    await eventually(browser, async () => !/Lovely/.test(await textOf(browser, "chat")), "the text to be unsaid");
  });

  it("answers why", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-output", "<no-reply/>");
    await press(browser, Key.Ctrl, Key.Enter);
    await (await at(browser, "view-turn")).waitForDisplayed();
    await shows(browser, "hold-map-pane", /11 stripped/);
    await (await at(browser, "ask-why")).click();
    await shows(browser, "why", /No answer on purpose[\s\S]*<no-reply\/>[\s\S]*output\.dialects/);
    await picture(browser, "turn-why");
  });
});
