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
      // A message that goes out leads to its turn; going on before that would be overtaken by it.
      const shown = async (id) => (await allAt(browser, id)).length > 0;
      await eventually(browser, async () => (await shown("stopped")) || (await shown("view-turn")), "an answer");
      return shown("stopped");
    };
    await eventually(browser, send, "the journal to be full");
    const said = await shows(browser, "stopped", /There is no room left for the journal .*journal\.sqlite/);
    assert.equal(said.match(/start/gi).length, 1, `what to do is said once: ${said}`);
    await shows(browser, "toast", /^There is no room left for the journal[\s\S]*foldback doctor checks the journal/);
    await go(browser, "turn");
    await shows(browser, "chat", /How was my talk\?/);
    for (const theme of ["dark", "light"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `stopped-${theme}`);
    }
  });
});
