import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { at, shows } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

describe("a bot that cannot start", () => {
  let data;
  const windows = [];
  const opened = async (options) => {
    const window = await open(options);
    windows.push(window);
    return window;
  };
  before(async () => (data = await mkdtemp(join(tmpdir(), "foldback-start-"))));
  after(async () => {
    await Promise.all(windows.map((window) => window.close()));
    await rm(data, { recursive: true, force: true });
  });

  it("says which line of the configuration is wrong, and what was probably meant", async () => {
    const { browser } = await opened({ config: '[channels.telegram]\nkind = "loopback"\nalow_from = ["*"]\n' });
    await shows(browser, "no-backend", /foldback\.toml:3/);
    const words = await shows(browser, "no-backend", /alow_from/);
    assert.match(words, /allow_from/);
    assert.match(words, /foldback doctor/);
    await picture(browser, "start-bad-configuration");
  });

  it("says that another Foldback has the journal", async () => {
    const first = await opened({ data });
    await (await at(first.browser, "view-live")).waitForDisplayed();
    const { browser } = await opened({ data });
    await shows(browser, "no-backend", /journal\.sqlite is in use by another process/);
    await picture(browser, "start-locked");
  });
});
