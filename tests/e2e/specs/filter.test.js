import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { at, eventually, go, shows, textOf } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

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
    await shows(browser, "filter-error", /There is no field\s+chanel\.[\s\S]*Use\s+channel\b/);
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
});
