import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { allAt, at, command, eventually, go, gone, inSight, press, shows, textOf, type, write } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

const OUTPUT = '[[reply_to_current]]\nSure <react emoji="fire" /> thing, and <raect/> too';

describe("what an output would come to otherwise", () => {
  let window;
  before(async () => (window = await open()));
  after(() => window?.close());

  it("is the same for every cut of what is written in Compose", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-output", OUTPUT);
    await shows(browser, "clean-text", /^Sure thing/);
    await press(browser, Key.Ctrl, Key.Shift, "x");
    await shows(browser, "recut-verdict", /4,096 cuts, same result/);
    assert.match(await textOf(browser, "recut-families"), /in two, at one place\s+71\s+all there are/);
    await picture(browser, "recut-compose");
    await (await at(browser, "recut-close")).click();
    await gone(browser, "recut");
  });

  it("is compared under other dialects, what differs first", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await press(browser, Key.Ctrl, Key.Shift, "d");
    await shows(browser, "bench-table", /≠/);
    const names = await browser.execute(() => [...document.querySelectorAll('[data-testid="bench-column"]')].map((c) => c.dataset.name));
    assert.equal(names[0], "default");
    assert.ok(names.includes("actions off") && names.includes("bare text"), names.join());
    assert.match(await textOf(browser, "bench-same"), /json on/);
    for (const scheme of ["dark", "light"]) {
      await (await at(browser, "bench-close")).click();
      await gone(browser, "bench");
      await command(browser, `theme: ${scheme}`);
      await press(browser, Key.Ctrl, Key.Shift, "d");
      await shows(browser, "bench-table", /≠/);
      await picture(browser, `bench-${scheme}`);
    }
  });

  it("takes any setting as a column, and says in it what is wrong", async () => {
    const { browser } = window;
    await (await at(browser, "bench-setting")).click();
    await type(browser, "output.placement=start output.bare=strip");
    await press(browser, Key.Enter);
    await shows(browser, "bench-table", /placement start, bare strip/);
    await (await at(browser, "bench-setting")).click();
    await type(browser, "output.placment=start");
    await press(browser, Key.Enter);
    await shows(browser, "bench-error", /output\.placment: no such setting/);
    await (await at(browser, "bench-close")).click();
    await gone(browser, "bench");
  });

  it("is compared as it would be sent: secrets masked, and redaction is a setting like others", async () => {
    const { browser } = window;
    await write(browser, "compose-output", "Mail ada@example.org the key sk-abcdefghijklmnopqrstuvwx.");
    await shows(browser, "clean-text", /the key \[redacted\]\.$/);
    await press(browser, Key.Ctrl, Key.Shift, "d");
    await (await at(browser, "bench-reset")).click();
    await shows(browser, "bench-table", /redaction off/);
    const cell = (column, aspect) =>
      browser.execute((...wanted) => document.querySelector(`td[data-column="${wanted[0]}"] [data-aspect="${wanted[1]}"]`)?.innerText.replaceAll(/\s+/g, " ").trim(), column, aspect);
    assert.equal(await cell("default", "clean_text"), "Mail ada@example.org the key [redacted].");
    assert.equal(await cell("default", "masked"), "sk · bytes 29–56");
    assert.equal(await cell("redaction off", "masked"), "≠ nothing");
    assert.match(await cell("redact email true", "masked"), /email · bytes 5–20 sk · bytes 29–56/);
    for (const scheme of ["dark", "light"]) {
      await (await at(browser, "bench-close")).click();
      await gone(browser, "bench");
      await command(browser, `theme: ${scheme}`);
      await press(browser, Key.Ctrl, Key.Shift, "d");
      await shows(browser, "bench-table", /redaction off/);
      await picture(browser, `bench-secrets-${scheme}`);
    }
    await (await at(browser, "bench-close")).click();
    await gone(browser, "bench");
  });

  it("is explained and mended by key", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-output", OUTPUT);
    await shows(browser, "lints", /bare-directive/);
    // The findings of what was written before may still stand there when it is pressed first.
    const explained = async () => {
      await press(browser, Key.F8);
      return /bare-directive/.test(await textOf(browser, "explanation"));
    };
    await eventually(browser, explained, "the finding to be explained");
    await picture(browser, "lint-explained");
    await press(browser, Key.Alt, Key.Shift, Key.Enter);
    await eventually(browser, async () => !/bare-directive/.test(await textOf(browser, "compose-results")), "the finding to go");
  });

  it("is tried on a message of a turn", async () => {
    const { browser } = window;
    await go(browser, "turn");
    await eventually(browser, async () => (await allAt(browser, "turn")).length > 0, "a turn");
    // Where the demo has come far meanwhile, its first turn is not in sight.
    await command(browser, "#1");
    await shows(browser, "chat-pane", /#1\b/);
    await eventually(browser, () => inSight(browser, "turn-recut"), "the button of the turn");
    await (await at(browser, "turn-recut")).click();
    await shows(browser, "recut-verdict", /4,096 cuts, same result/);
    await picture(browser, "recut-turn");
    await (await at(browser, "recut-close")).click();
    await (await at(browser, "turn-dialects")).click();
    await shows(browser, "bench-table", /actions off/);
    await picture(browser, "bench-turn");
    await (await at(browser, "bench-close")).click();
  });

  it("leaks nothing, says the journal", async () => {
    const { browser } = window;
    await go(browser, "live");
    // The start is there once: it shows that the question was answered, and a leak would stand beside it.
    await (await at(browser, "filter")).setValue("is:leaked or kind:started");
    await shows(browser, "event-count", /^1 event$/);
  });
});
