import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { allAt, at, command, eventually, gone, press, shows, textOf } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

const TOPICS = ["held", "stripped", "rate_limited", "silent", "failed"];

const topic = (browser) => browser.execute(() => document.querySelector('[data-testid="tour"]')?.dataset.topic);
const shown = (browser, id) => browser.execute((wanted) => document.querySelector(`[data-testid="${wanted}"]`) !== null, id);
const setTheme = (browser, theme) => command(browser, `theme: ${theme}`);

/** Waits until the callout lies in the window and covers nothing of what it is about; else says what it covers. */
async function isBeside(browser) {
  let failure;
  const apart = () => checkBeside(browser).then(() => true, (error) => void (failure = error));
  await eventually(browser, apart, "the callout beside what it is about", 20_000).catch((error) => { throw failure ?? error; });
}

async function checkBeside(browser) {
  const [callout, about, room] = await browser.execute(() => {
    const box = (element) => (({ left, top, right, bottom }) => ({ left, top, right, bottom }))(element.getBoundingClientRect());
    const callout = document.querySelector('[data-testid="tour-callout"]');
    return [box(callout), [...document.querySelectorAll(callout.dataset.about)].map(box), { width: innerWidth, height: innerHeight }];
  });
  assert.ok(about.length > 0, "it is about something");
  assert.ok(callout.left >= 0 && callout.top >= 0 && callout.right <= room.width && callout.bottom <= room.height, `${JSON.stringify(callout)} lies in the window`);
  for (const box of about) {
    const apart = callout.right <= box.left || callout.left >= box.right || callout.bottom <= box.top || callout.top >= box.bottom;
    assert.ok(apart, `${JSON.stringify(callout)} covers ${JSON.stringify(box)}`);
  }
}

/** Goes to a stop, waits until its turn is shown, and keeps a picture in both themes. */
async function visit(browser, stop, sign) {
  await eventually(browser, async () => (await topic(browser)) === stop, `the stop ${stop}`);
  await shows(browser, "tour-callout", sign);
  await isBeside(browser);
  for (const theme of ["dark", "light"]) {
    await setTheme(browser, theme);
    await shows(browser, "tour-callout", sign);
    await picture(browser, `tour-${stop}-${theme}`);
  }
}

describe("the tour through the demo", () => {
  let window;
  before(async () => (window = await open({ tour: true })));
  after(() => window?.close());

  it("opens by itself at a first start: a turn at the moment of a hold, with three callouts", async () => {
    const { browser } = window;
    // Its first message first: a pause ahead of it would leave the tour nothing to open.
    const hasBegun = async () => /message [1-9]/.test(await (await at(browser, "demo")).getAttribute("title"));
    await eventually(browser, hasBegun, "the first message of the demo");
    // The first answer goes on, and the demo does not come to the other stops.
    await (await at(browser, "demo-toggle")).click();
    await shows(browser, "demo", /PAUSED/);
    await (await at(browser, "view-turn")).waitForDisplayed();
    await shows(browser, "tour-callout", /What the user sees.*1 of 3/s);
    await shows(browser, "why-card", /Held/);
    assert.doesNotMatch(await textOf(browser, "chat"), /Lovely/);
    await isBeside(browser);
    await eventually(browser, () => browser.execute(() => document.activeElement?.dataset.testid === "tour-callout-next"), "the callout to take the keyboard");
    await picture(browser, "tour-callout-1");

    await (await at(browser, "tour-callout-next")).click();
    await shows(browser, "tour-callout", /What is held.*2 of 3/s);
    await isBeside(browser);
    await picture(browser, "tour-callout-2");
    // It goes along with what it is about.
    await browser.setWindowSize(1180, 760);
    await eventually(browser, () => browser.execute(() => innerWidth < 1200), "the smaller window");
    await isBeside(browser);
    await picture(browser, "tour-callout-narrow");
    await browser.setWindowSize(1440, 900);
    await eventually(browser, () => browser.execute(() => innerWidth > 1400), "the larger window");
    // A click on a button that is still on its way misses it.
    await isBeside(browser);

    await (await at(browser, "tour-callout-next")).click();
    await shows(browser, "tour-callout", /Why it is held.*3 of 3/s);
    await isBeside(browser);
    await picture(browser, "tour-callout-3");
    await press(browser, Key.Escape);
    await gone(browser, "tour-callout");
    assert.equal(await topic(browser), "held");
  });

  it("says of a stop that the demo has not come to it, skips it, and plays the demo", async () => {
    const { browser } = window;
    await (await at(browser, "tour-stop-rate_limited")).click();
    await shows(browser, "tour-words", /The demo has not come to it yet, and is paused/);
    await picture(browser, "tour-waits");
    await shows(browser, "tour-next", /Skip this/);
    await (await at(browser, "tour-next")).click();
    await eventually(browser, async () => (await topic(browser)) === "silent", "the stop after it");
    await (await at(browser, "tour-stop-failed")).click();
    await shows(browser, "tour-words", /The demo has not come to it yet/);
    await (await at(browser, "tour-play")).click();
    await shows(browser, "demo", /round 1 of 10/);
    // It opens by itself once the demo has come to it.
    await shows(browser, "tour-callout", /Why the turn failed/, 90_000);
  });

  it("leads to five stops, each by one click", async () => {
    const { browser } = window;
    await shows(browser, "demo", /next round/, 120_000);
    await command(browser, "pause the demo");
    await (await at(browser, "tour-stop-held")).click();
    await visit(browser, "held", /What the user sees/);
    const signs = { stripped: /What is stripped/, rate_limited: /Why it waits/, silent: /Why nothing was sent/, failed: /Why the turn failed/ };
    for (const stop of TOPICS.slice(1)) {
      await (await at(browser, "tour-next")).click();
      await visit(browser, stop, signs[stop]);
    }
    await shows(browser, "tour", /5 of 5.*Finish/s);
    await setTheme(browser, "high contrast");
    await picture(browser, "tour-failed-contrast");
    await setTheme(browser, "dark");
  });

  it("is gone for good once ended, and the palette begins it anew", async () => {
    const { browser } = window;
    await (await at(browser, "tour-stop-held")).click();
    await (await at(browser, "tour-end")).click();
    await gone(browser, "tour");
    assert.equal((await allAt(browser, "tour-callout")).length, 0);

    await browser.refresh();
    await shows(browser, "demo", /PAUSED/);
    // The figures came, with the demo in them, and no tour with them.
    assert.equal(await shown(browser, "tour"), false);
    await command(browser, "take the tour");
    await shows(browser, "tour-callout", /What the user sees/);
    assert.equal(await topic(browser), "held");
    await (await at(browser, "tour-end")).click();
    await gone(browser, "tour");
  });
});

describe("the tour where there is no demo", () => {
  let window;
  before(async () => (window = await open({ config: '[channels.telegram]\nkind = "loopback"\narmed = true\nallow_from = ["*"]\n', tour: true })));
  after(() => window?.close());

  it("does not open, and says why it cannot", async () => {
    const { browser } = window;
    await shows(browser, "rate", /ev\/s/);
    assert.equal(await shown(browser, "tour"), false);
    await command(browser, "take the tour");
    await shows(browser, "toast", /The tour needs the demo/);
    assert.equal(await shown(browser, "tour"), false);
  });
});
