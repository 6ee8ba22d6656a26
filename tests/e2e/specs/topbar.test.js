// The top bar in every combination of its badges, at every width of a window: nothing lies over anything else.
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { openPage } from "../harness/browser.js";
import { eventually } from "../harness/page.js";
import { end, freePort, start, until } from "../harness/processes.js";
import { answers, picture } from "../harness/window.js";

const ui = resolve(import.meta.dirname, "../../../ui");
/** A window is at least as wide as the first. */
const WIDTHS = [900, 960, 1024, 1080, 1180, 1280, 1440, 1920];

/** Gives the bars a width, and time to fit into it. */
const resize = (browser, width) =>
  browser.executeAsync((px, done) => {
    document.getElementById("app").style.width = `${px}px`;
    const frames = (left) => (left === 0 ? done() : requestAnimationFrame(() => frames(left - 1)));
    frames(3);
  }, width);

/** Everything that is wrong with the bars as they are laid out now, in words. Runs in the page. */
function flaws() {
  const found = [];
  for (const state of document.querySelectorAll("[data-bar]")) {
    const bar = state.querySelector("header");
    const say = (what) => found.push(`${state.dataset.bar}: ${what}`);
    const box = (element) => element.getBoundingClientRect();
    const named = (element) => (element.textContent.trim() || element.getAttribute("aria-label") || element.className).slice(0, 40);
    // What is seen: the badges themselves rather than the buttons around them, which may be narrower.
    const seen = [...bar.querySelectorAll(".badge, .toggle, .figure, .leaks, .menu-trigger, .brand, .name, .search, button.quiet")];
    const boxes = seen.map((element) => [element, box(element)]).filter(([, { width }]) => width > 0).sort(([, a], [, b]) => a.left - b.left);
    boxes.forEach(([element, { left, right, top, bottom }], at) => {
      const next = boxes[at + 1];
      if (next !== undefined && right > next[1].left + 0.5) say(`“${named(element)}” lies over “${named(next[0])}” by ${Math.round(right - next[1].left)} px`);
      if (right > box(bar).right + 0.5 || left < box(bar).left) say(`“${named(element)}” is out of the bar`);
      if (top < box(bar).top || bottom > box(bar).bottom) say(`“${named(element)}” is higher than the bar`);
      const isName = element.matches(".name") || element.textContent.includes("LIVE ·");
      if (!isName && element.matches(".badge, .figure, .leaks") && element.scrollWidth > element.clientWidth + 1) say(`“${named(element)}” is cut off`);
    });
  }
  return found;
}

describe("the top bar", () => {
  let server;
  let page;
  before(async () => {
    const port = await freePort();
    server = start("npx", ["vite", "--host", "127.0.0.1", "--port", String(port)], { cwd: ui });
    await until(() => answers(port), "the server of the pages under development");
    page = await openPage(`http://127.0.0.1:${port}/src/app/test/bars.html?theme=dark`);
    await eventually(page.browser, () => page.browser.execute(() => document.querySelectorAll("[data-bar] header").length === 250), "250 bars");
  });
  after(async () => {
    await page?.close();
    if (server) await end(server);
  });

  for (const width of WIDTHS) {
    it(`has room for whatever it shows in a window of ${width} px`, async () => {
      const { browser } = page;
      await resize(browser, width);
      const found = await browser.execute(flaws);
      assert.deepEqual(found, [], `${found.length} flaws`);
    });
  }

  it("is kept as a picture, narrow and wide", async () => {
    const { browser } = page;
    for (const width of [900, 1180, 1440]) {
      await resize(browser, width);
      // One bar of each kind.
      await browser.execute(() => [...document.querySelectorAll("[data-bar]")].forEach((bar, at) => (bar.hidden = at % 13 !== 0)));
      await picture(browser, `top-bar-${width}`);
    }
  });
});
