import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { allAt, at, command, dismiss, dive, eventually, go, press, shows, textOf, write } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

const count = async (browser) => Number((await textOf(browser, "event-count")).replace(/\D/g, ""));

/** Waits until nothing is under way, and the page shows all of it; answers with how many events there are. */
const quiet = (browser) =>
  eventually(
    browser,
    async () => {
      const { running, waiting, head } = await browser.executeAsync((done) => void window.__TAURI_INTERNALS__.invoke("rpc", { workspace: 0, name: "status", args: {} }).then(done));
      return running + waiting === 0 && (await count(browser)) === head && head;
    },
    "the end of what was under way",
    120_000,
  );

describe("the demo", () => {
  let data;
  let window;
  before(async () => {
    data = await mkdtemp(join(tmpdir(), "foldback-e2e-"));
    window = await open({ data });
  });
  after(async () => {
    await window?.close();
    await rm(data, { recursive: true, force: true });
  });

  it("is paused in the top bar, where nothing more comes in, and played from the palette", async () => {
    const { browser } = window;
    await shows(browser, "demo", /round 1 of 10/);
    await dive(browser);
    await eventually(browser, async () => (await count(browser)) > 20, "events");
    await (await at(browser, "demo-toggle")).click();
    await shows(browser, "demo", /PAUSED/);
    const paused = await quiet(browser);
    await picture(browser, "demo-paused");
    // Longer than between any two messages of a round.
    await new Promise((resolve) => setTimeout(resolve, 5000));
    assert.equal(await quiet(browser), paused);
    await command(browser, "play the demo");
    await shows(browser, "demo", /round 1 of 10/);
    await eventually(browser, async () => (await count(browser)) > paused, "the demo to go on");
  });

  it("ends a round on an answer, says when the next one begins, and begins it", async () => {
    const { browser } = window;
    await shows(browser, "demo", /next round \d\d:\d\d:\d\d/, 120_000);
    await go(browser, "turn");
    await shows(browser, "turns", /Which platform, please\?/);
    const newest = (await textOf(browser, "turns")).split("#")[1];
    assert.doesNotMatch(newest, /failed/);
    await shows(browser, "demo", /round 2 of 10/, 120_000);
    await shows(browser, "turns", /#12\b/);
  });

  it("plays on a second start too", async () => {
    await window.close();
    window = await open({ data });
    const { browser } = window;
    await shows(browser, "demo", /round 1 of 10/);
    await go(browser, "live");
    const before = await eventually(browser, () => count(browser), "the events of the first start");
    await eventually(browser, async () => (await count(browser)) > before + 20, "the demo of the second start");
    assert.doesNotMatch(await textOf(browser, "events"), /duplicate/);
  });
});

describe("the window", () => {
  let window;
  let fixtures;
  before(async () => {
    fixtures = await mkdtemp(join(tmpdir(), "foldback-e2e-fixtures-"));
    window = await open({ env: { FOLDBACK_FIXTURES: fixtures } });
    const { browser } = window;
    await (await at(browser, "view-live")).waitForDisplayed();
    await dive(browser);
    await eventually(browser, async () => (await count(browser)) > 60, "some events");
    await command(browser, "pause the demo");
    await quiet(browser);
  });
  after(async () => {
    await window?.close();
    await rm(fixtures, { recursive: true, force: true });
  });

  it("selects with Ctrl+A what is in the pane, and never the page", async () => {
    const { browser } = window;
    const selected = () => browser.execute(() => document.getSelection().toString());
    await browser.execute(() => (document.activeElement.blur(), document.getSelection().removeAllRanges()));
    await press(browser, Key.Ctrl, "a");
    assert.equal(await selected(), "");
    await (await browser.$('[data-testid="events"] [role="row"][data-index]')).click();
    await press(browser, Key.Ctrl, "a");
    const text = await selected();
    assert.notEqual(text, "");
    assert.doesNotMatch(text, /Foldback|Search, jump|DEMO/);
    await browser.execute(() => document.getSelection().removeAllRanges());
  });

  it("shows a tip in its own colours, over no other button, and the next press is not swallowed", async () => {
    const { browser } = window;
    for (const theme of ["dark", "light"]) {
      await command(browser, `theme: ${theme}`);
      await browser.action("pointer").move({ x: 700, y: 20 }).perform();
      await (await at(browser, "rail-turn")).moveTo();
      await shows(browser, "tip", /Turns \(2\)/);
      assert.equal(await browser.execute(() => document.querySelectorAll('[data-testid="rail-turn"][title]').length), 0);
      const covered = await browser.execute(() => {
        const tip = document.querySelector('[data-testid="tip"]').getBoundingClientRect();
        const over = (box) => tip.left < box.right && box.left < tip.right && tip.top < box.bottom && box.top < tip.bottom;
        return [...document.querySelectorAll("nav button, header button")].filter((button) => over(button.getBoundingClientRect())).map((button) => button.dataset.testid);
      });
      assert.deepEqual(covered, []);
      await picture(browser, `tip-${theme}`);
    }
    await (await at(browser, "rail-compose")).click();
    await (await at(browser, "view-compose")).waitForDisplayed();
    await go(browser, "live");
  });

  it("keeps dim words on a selected row at 4.5:1", async () => {
    const { browser } = window;
    for (const theme of ["dark", "light"]) {
      await command(browser, `theme: ${theme}`);
      await (await browser.$('[data-testid="events"] [role="row"][data-index]')).click();
      const ratio = await browser.execute(() => {
        const row = document.querySelector('[data-testid="events"] .line.cursor');
        const channels = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map(Number);
        const light = (colour) => channels(colour).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        const [a, b] = [light(getComputedStyle(row.querySelector(".dim")).color), light(getComputedStyle(row).backgroundColor)];
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      });
      assert.ok(ratio >= 4.5, `${theme}: ${ratio}`);
      await picture(browser, `selected-row-${theme}`);
    }
  });

  it("names what was done when sending is muted and a conversation is reset", async () => {
    const { browser } = window;
    await press(browser, Key.Ctrl, ".");
    await shows(browser, "toast", /Sending is muted\./);
    await picture(browser, "muted");
    await press(browser, Key.Ctrl, ".");
    await shows(browser, "toast", /Sending resumed\./);
    await go(browser, "sessions");
    await shows(browser, "session-list", /Alice/);
    await (await at(browser, "session-reset")).click();
    await shows(browser, "session-dialog", /Reset the conversation with/);
    await (await at(browser, "confirm")).click();
    await eventually(browser, async () => /Conversation with .* reset\./.test((await Promise.all(await allAt(browser, "toast").map((toast) => toast.getText()))).join("\n")), "the echo");
    await picture(browser, "session-reset");
  });

  it("writes a letter and a line into a fixture's text, and saves it with Ctrl+S", async () => {
    const { browser } = window;
    await go(browser, "turn");
    await (await browser.$('[data-testid="turn"][data-turn="1"]')).click();
    await (await at(browser, "waterfall")).waitForDisplayed();
    await command(browser, "make a fixture");
    const path = await at(browser, "make-fixture-path");
    await path.waitForDisplayed();
    await eventually(browser, () => path.isFocused(), "the name of the fixture to have the keyboard");
    await (await browser.$('[data-testid="make-fixture-text"] .cm-content')).click();
    await press(browser, Key.Ctrl, Key.Home);
    // A line of its own, which is no part of the scenario.
    await press(browser, "#");
    await press(browser, "a");
    await press(browser, Key.Enter);
    await picture(browser, "make-fixture");
    await shows(browser, "make-fixture-dialog", /^#a$/m);
    await press(browser, Key.Ctrl, "s");
    await shows(browser, "toast", /Saved .*\.yaml/);
    await (await at(browser, "view-fixtures")).waitForDisplayed();
    const [file] = (await readdir(fixtures, { recursive: true })).filter((name) => name.endsWith(".yaml"));
    assert.match(await readFile(join(fixtures, file), "utf8"), /^#a$/m);
    // In Compose, a field's own Ctrl+A still selects what is written there.
    await go(browser, "compose");
    await write(browser, "compose-user", "all of it");
  });

  // The last of all: after the driver's right click its keys have lost Shift, so that `:` comes as `;`.
  const rightClick = (browser, element) => browser.action("pointer").move({ origin: element }).down({ button: 2 }).up({ button: 2 }).perform();

  it("has no menu of a browser, and one of its own on a row", async () => {
    const { browser } = window;
    await go(browser, "live");
    await browser.execute(() => {
      globalThis.menus = [];
      globalThis.addEventListener("contextmenu", (event) => globalThis.menus.push(event.defaultPrevented));
    });
    const row = '[data-testid="events"] [role="row"][data-index]';
    await (await browser.$(row)).waitForDisplayed();
    // Found anew: what was looked for before it was there has no place to click.
    await rightClick(browser, await browser.$(row));
    await shows(browser, "context-menu", /Copy the row/);
    await picture(browser, "context-menu");
    await dismiss(browser, "context-menu");
    await rightClick(browser, await at(browser, "rail-turn"));
    await shows(browser, "context-menu", /Search and run/);
    await dismiss(browser, "context-menu");
    assert.deepEqual(await browser.execute(() => globalThis.menus), [true, true]);
  });
});
