import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { allAt, at, command, eventually, go, press, shows } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

const split = resolve(import.meta.dirname, "../../../fixtures/previews/split.md");

/** Puts a long text into an editor in place of what is there; typing it would take a minute. */
async function paste(browser, id, text) {
  await (await browser.$(`[data-testid="${id}"] .cm-content`)).click();
  await press(browser, Key.Ctrl, "a");
  await press(browser, Key.Delete);
  await browser.execute((words) => document.execCommand("insertText", false, words), text);
}

describe("the split ruler", () => {
  let window;
  before(async () => (window = await open()));
  after(() => window?.close());

  it("tells for every channel where a text is cut, how full each message is and what makes it longer", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await paste(browser, "compose-output", (await readFile(split, "utf8")).trimEnd());
    const previews = async () => (await allAt(browser, "preview")).length;
    await eventually(browser, async () => (await allAt(browser, "ruler")).length === (await previews()) && (await previews()) >= 5, "a ruler for each preview");
    await (await browser.$('[data-testid="ruler"][data-channel="discord"]')).click();
    await shows(browser, "compose-lengths", /3 messages on discord, at most 2,000 characters each/);
    await shows(browser, "compose-lengths", /cut between paragraphs[\s\S]*cut between lines, what was open goes on/);
    await shows(browser, "ruler-growth", /characters\s+3,8\d\d[\s\S]*fences closed[\s\S]*\+12[\s\S]*billed/);
    const preview = await browser.$('[data-testid="preview"][data-channel="discord"]');
    assert.match(await preview.getText(), /cut between paragraphs[\s\S]*1,\d\d\d \/ 2,000/);
    await (await browser.$('[data-testid="ruler"][data-channel="slack"]')).click();
    await shows(browser, "ruler-growth", /escaped characters[\s\S]*\+1,098/);
    for (const theme of ["dark", "light"]) {
      await command(browser, `theme: ${theme}`);
      await browser.execute(() => document.querySelector('[data-testid="compose-lengths"]').scrollIntoView({ block: "nearest" }));
      await picture(browser, `ruler-${theme}`);
    }
    // A message leads to the text it was made from.
    await (await browser.$('[data-testid="ruler-message"]:nth-child(2) button')).click();
    const selected = () => browser.execute(() => document.getSelection().toString());
    await eventually(browser, async () => /^let line_46|^```rust|^let line/.test(await selected()), "the second message to be selected");
  });

  it("draws the markup as the platform does, or as it is sent", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await paste(browser, "compose-output", "**Bold**, *italic*, `code` & [a link](https://example.org)\n\n> a quotation\n\n```rust\nlet x = 1 < 2;\n```\n<script>alert(1)</script>");
    const telegram = () => browser.$('[data-testid="preview"][data-channel="telegram"]').getText();
    await eventually(browser, async () => /Bold, italic, code & a link/.test(await telegram()), "the markup to be drawn");
    for (const theme of ["dark", "light"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `previews-${theme}`);
    }
    await (await at(browser, "look-sent")).click();
    await eventually(browser, async () => /<b>Bold<\/b>, <i>italic<\/i>/.test(await telegram()), "the markup itself");
    await picture(browser, "previews-sent");
    assert.equal(await browser.execute(() => document.querySelectorAll('[data-testid="previews"] script').length), 0);
  });

  it("measures a turn as it stands in the chat", async () => {
    const { browser } = window;
    await (await at(browser, "choose-slack")).click();
    await (await browser.$('[data-testid="compose-output"] .cm-content')).click();
    await press(browser, Key.Ctrl, Key.Enter);
    await (await at(browser, "view-turn")).waitForDisplayed();
    await shows(browser, "turn-lengths", /1 message[\s\S]*characters[\s\S]*escaped characters[\s\S]*billed/);
    await shows(browser, "chat", /Bold, italic/);
    await browser.execute(() => document.querySelector('[data-testid="turn-lengths"]').scrollIntoView({ block: "nearest" }));
    await picture(browser, "turn-lengths");
  });
});
