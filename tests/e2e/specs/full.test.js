import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { at, allAt, command, eventually, go, press, shows, textOf, write } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

const config = `
[channels.slack]
kind = "loopback"
armed = true
allow_from = ["*"]

[store]
max_size = "150KB"
`;

describe("a journal that is full", () => {
  let window;
  before(async () => (window = await open({ config })));
  after(() => window?.close());

  it("is said for good, with what to do, and the window can still be read", async () => {
    const { browser } = window;
    assert.equal((await allAt(browser, "stopped")).length, 0);
    await go(browser, "compose");
    await write(browser, "compose-output", "Hello there, and again.");
    const send = async () => {
      await go(browser, "compose");
      await press(browser, Key.Ctrl, Key.Enter);
      return (await allAt(browser, "stopped")).length > 0;
    };
    await eventually(browser, send, "the journal to be full");
    await shows(browser, "stopped", /no room left for the journal .*journal\.sqlite/);
    await go(browser, "turn");
    await shows(browser, "chat", /How was my talk\?/);
    for (const theme of ["dark", "light"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `stopped-${theme}`);
    }
  });
});
