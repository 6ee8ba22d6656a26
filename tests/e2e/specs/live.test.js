import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { allAt, at, command, dive, eventually, press, shows, textOf } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

describe("Live", () => {
  let window;
  before(async () => (window = await open()));
  after(() => window?.close());

  const header = (browser) =>
    browser.execute(() => [...document.querySelectorAll("[role='columnheader']")].map((cell) => cell.textContent.trim().replace(/ [↓↑]$/, "")));
  const count = async (browser, id) => Number((await textOf(browser, id)).replace(/\D/g, ""));

  it("opens with turns, each with its question, answer, longest hold, latency and lanes", async () => {
    const { browser } = window;
    await (await at(browser, "view-live")).waitForDisplayed();
    await eventually(browser, async () => (await allAt(browser, "turn")).length >= 4, "four turns", 90_000);
    const columns = await header(browser);
    for (const title of ["Turn", "Question", "Answer", "Lanes", "Longest hold", "Latency", "Outcome"]) assert.ok(columns.includes(title), `${title} in ${columns}`);
    const drawn = await eventually(
      browser,
      () => browser.execute(() => [...document.querySelectorAll('[data-testid="lane-sketch"] canvas')].filter((canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0)).length),
      "lanes",
    );
    assert.ok(drawn > 0);
    await shows(browser, "turn-list", /\d m?s/);
    for (const theme of ["light", "dark"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `live-turns-${theme}`);
    }
  });

  it("leaves idle, passed and holds of white space to Everything", async () => {
    const { browser } = window;
    await dive(browser, "decisions");
    await shows(browser, "events", /held|chunk|ended/);
    const filter = await at(browser, "filter");
    await filter.setValue("kind:idle,passed or reason:trailing_space");
    await shows(browser, "empty", /No event matches/);
    await picture(browser, "live-decisions-empty");
    await dive(browser, "everything");
    const leftOut = await eventually(browser, () => count(browser, "event-count"), "what Decisions leaves out");
    await (await at(browser, "filter-clear")).click();
    const everything = await eventually(browser, async () => (await count(browser, "event-count")) > 3 * leftOut && count(browser, "event-count"), "every event");
    await dive(browser, "decisions");
    await eventually(browser, async () => {
      const decisions = await count(browser, "event-count");
      return decisions > 0 && decisions < everything;
    }, "fewer decisions than events");
    assert.doesNotMatch(await textOf(browser, "events"), /\bidle\b|\bpassed\b|trailing_space/);
    await picture(browser, "live-decisions");
  });

  it("keeps depth and columns over a reload", async () => {
    const { browser } = window;
    const width = () => browser.execute(() => document.querySelector('[data-testid="events"]').style.getPropertyValue("--tracks"));
    const before = await width();
    await browser.execute(() => document.querySelector('[data-testid="size-channel"]').focus());
    await press(browser, Key.ArrowRight);
    const sized = await eventually(browser, async () => (await width()) !== before && width(), "a wider column");
    await browser.refresh();
    await shows(browser, "events", /./);
    assert.equal(await width(), sized);
    assert.equal(await (await at(browser, "depth-decisions")).getAttribute("aria-checked"), "true");
  });

  it("opens the turn under the cursor with Enter", async () => {
    const { browser } = window;
    await dive(browser, "turns");
    await eventually(browser, async () => (await allAt(browser, "turn")).length > 0, "turns");
    await (await allAt(browser, "turn"))[0].click();
    await press(browser, Key.Enter);
    await (await at(browser, "view-turn")).waitForDisplayed();
  });
});
