import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { at, eventually, go, press, shows, textOf, type } from "../harness/page.js";
import { open, picture } from "../harness/window.js";
import { Key } from "webdriverio";

describe("the filter", () => {
  let window;
  before(async () => (window = await open()));
  after(() => window?.close());

  it("with a typo says what was probably meant, and mends it", async () => {
    const { browser } = window;
    await go(browser, "live");
    await shows(browser, "events", /discord/);
    const filter = await at(browser, "filter");
    await filter.setValue("chanel:telegram");
    await shows(browser, "filter-error", /Unknown field “chanel”\.[\s\S]*Use\s+channel\b/);
    await picture(browser, "filter-typo");
    await (await at(browser, "filter-fix")).click();
    await eventually(browser, async () => (await filter.getValue()) === "channel:telegram", "the mended filter");
    assert.equal(await textOf(browser, "filter-error"), "");
    await eventually(
      browser,
      async () => {
        const text = await textOf(browser, "events");
        return /telegram/.test(text) && !/discord|slack|signal|whatsapp/.test(text);
      },
      "only rows of telegram",
    );
  });

  it("of the first page finds holds with how long they lasted", async () => {
    const { browser } = window;
    const filter = await at(browser, "filter");
    await filter.setValue("channel:telegram is:held -kind:chunk dur>500ms");
    await shows(browser, "event-count", /^[1-9]\d* events?$/);
    await shows(browser, "events", /Duration[\s\S]*telegram[\s\S]*\d m?s/);
    await picture(browser, "filter-durations");
    await filter.setValue("kind:released channel:telegram");
    await shows(browser, "events", /released after \d+(\.\d+)? m?s \(\w+, \d+ B\)/);
    await filter.setValue("session:telegram:* kind:received");
    await shows(browser, "event-count", /^[1-9]\d* events?$/);
  });

  it("is completed field by field with Tab, which goes on once nothing is left", async () => {
    const { browser } = window;
    const filter = await at(browser, "filter");
    const value = () => filter.getValue();
    const empty = async () => {
      await filter.click();
      await press(browser, Key.Ctrl, "a");
      await press(browser, Key.Delete);
    };
    await empty();
    await type(browser, "ch");
    await shows(browser, "filter-proposals", /channel:/);
    await press(browser, Key.Tab);
    await eventually(browser, async () => (await value()) === "channel:", "the field");
    await shows(browser, "filter-proposals", /telegram[\s\S]*Channel/);
    await press(browser, Key.Tab);
    await eventually(browser, async () => /^channel:\w+$/.test(await value()), "a channel");
    await eventually(browser, async () => (await textOf(browser, "filter-proposals")) === "", "nothing to propose");
    await press(browser, Key.Tab);
    await eventually(browser, async () => !(await filter.isFocused()), "Tab to leave the field");
    assert.match(await value(), /^channel:\w+$/);
    // At once, before any proposal is there.
    await empty();
    await browser.keys(["c", "h", Key.Tab, Key.Tab]);
    await eventually(browser, async () => /^(ch|channel:\w*)$/.test(await value()), "a text that is whole");
    await empty();
    await type(browser, "dur");
    await shows(browser, "filter-proposals", /dur>[\s\S]*dur>1\.5s/);
    await picture(browser, "filter-proposals");
    await empty();
    await press(browser, Key.Enter);
  });

  it("leads from error to error by key, and says where there is none", async () => {
    const { browser } = window;
    // The demo's first error comes after half a minute.
    const filter = await at(browser, "filter");
    await filter.setValue("is:error");
    const onlyErrors = () => browser.execute(() => {
      const rows = [...document.querySelectorAll('[data-testid="events"] [data-index]')];
      return rows.length > 0 && rows.every((row) => row.querySelector(".is-error") !== null);
    });
    await eventually(browser, onlyErrors, "an error", 120_000);
    await (await at(browser, "filter-clear")).click();
    await shows(browser, "events", /received/);
    await (await browser.$('[data-testid="events"] [data-index]')).click();
    // The demo goes on: an error may come between the two keys, and is gone to then.
    await eventually(
      browser,
      async () => {
        await press(browser, Key.End);
        await press(browser, "e");
        return /No error after this row\./.test(await textOf(browser, "jump-note"));
      },
      "the note that there is none",
    );
    await press(browser, Key.Shift, "e");
    await eventually(
      browser,
      () => browser.execute(() => document.querySelector('[data-testid="events"] [aria-selected="true"]')?.querySelector(".is-error") != null),
      "the error before",
    );
    await press(browser, Key.Home);
    await eventually(browser, () => browser.execute(() => document.querySelector('[data-testid="events"] [aria-selected="true"]')?.dataset.index === "0"), "the first row");
  });
});
