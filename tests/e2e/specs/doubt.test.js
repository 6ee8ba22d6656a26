import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { at, command, eventually, go, shows, textOf, write } from "../harness/page.js";
import { until } from "../harness/processes.js";
import { open, picture } from "../harness/window.js";

const config = `
[agent]
backend = "script"

[channels.signal]
kind = "loopback"
armed = true
allow_from = ["*"]
`;

describe("a turn whose end nobody knows", () => {
  let data;
  let window;
  before(async () => {
    data = await mkdtemp(join(tmpdir(), "foldback-doubt-"));
    window = await open({ config, data });
  });
  after(async () => {
    await window?.close();
    await rm(data, { recursive: true, force: true });
  });

  /** Starts the app again, with the same data. */
  const restart = async () => {
    await window.close();
    // On a busy machine the process before may still be writing the last of its journal.
    const next = async () => {
      const opened = await open({ config, data });
      if (!(await (await at(opened.browser, "no-backend")).isExisting())) return opened;
      await opened.close();
      return undefined;
    };
    window = await until(next, "the journal to be free", 5);
    return window.browser;
  };

  it("stays in the top bar over a restart, until somebody looks at it", async () => {
    let { browser } = window;
    await go(browser, "channels");
    await (await at(browser, "fault-plan")).click();
    await (await at(browser, "fault-place")).selectByAttribute("value", "channel:signal");
    await (await at(browser, "fault-preset-lost")).click();
    // Nobody has the turn open any more when its end is unknown: that would be the look it asks for.
    await (await at(browser, "fault-latencyMs")).setValue("15000");
    await (await at(browser, "confirm")).click();
    await shows(browser, "faults-planned", /1 FAULT PLANNED/);
    await go(browser, "compose");
    await write(browser, "compose-output", "Perhaps");
    await (await at(browser, "send-signal")).click();
    await (await at(browser, "view-turn")).waitForDisplayed();
    await go(browser, "channels");
    await shows(browser, "unknown", /1 outcome unknown/);

    browser = await restart();
    await shows(browser, "unknown", /1 outcome unknown/);
    await (await at(browser, "unknown")).click();
    await (await at(browser, "view-live")).waitForDisplayed();
    await shows(browser, "events", /unknown/);
    await shows(browser, "event-count", /\b1 event\b/);
    for (const theme of ["light", "dark"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `doubt-live-${theme}`);
    }
    await go(browser, "turn");
    await shows(browser, "turns", /unknown/);
    await eventually(browser, async () => (await textOf(browser, "unknown")) === "", "the look to be enough");
    await picture(browser, "doubt-turn");

    browser = await restart();
    await shows(browser, "rate", /ev\/s/);
    assert.equal(await textOf(browser, "unknown"), "");
    await go(browser, "live");
    await (await at(browser, "filter")).setValue("kind:reviewed");
    await shows(browser, "event-count", /\b1 event\b/);
  });

  it("belongs to a bot whose configuration and agent the window names", async () => {
    const { browser } = window;
    await shows(browser, "configuration", /^foldback$/);
    await shows(browser, "agents", /^script \(the built-in demonstration\)$/);
    assert.match(await (await at(browser, "configuration")).getAttribute("title"), new RegExp(join(data, "foldback.toml")));
  });
});

describe("the built-in configuration", () => {
  let window;
  before(async () => (window = await open()));
  after(() => window?.close());

  it("is named as such, so that nobody takes the demonstration for the own agent", async () => {
    const { browser } = window;
    await shows(browser, "agents", /script \(the built-in demonstration\)/);
    assert.match(await (await at(browser, "configuration")).getAttribute("title"), /built in/);
  });
});
