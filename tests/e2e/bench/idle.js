// What the window uses of a core while nothing moves: `npm run bench:idle`. The demo is paused, no pointer is over the
// window, and nothing is asked of it meanwhile. The figures depend on the machine; they are printed, not judged.
import { command, eventually, go, shows, textOf } from "../harness/page.js";
import { open } from "../harness/window.js";
import { cpu } from "./cpu.js";

/** Seconds of each measurement. */
const seconds = Number(process.env.FOLDBACK_BENCH_SECONDS ?? 20);
const wait = (s) => new Promise((resolve) => setTimeout(resolve, s * 1000));

const window = await open({ profile: process.env.FOLDBACK_BENCH_PROFILE ?? "release", env: { FOLDBACK_DRAWING: "processor" } });
try {
  const { browser, pid } = window;
  // A first start shows turns, which have no count of events.
  await go(browser, "live");
  const events = async () => Number((await textOf(browser, "event-count")).replace(/\D/g, ""));
  await eventually(browser, async () => (await events()) > 60, "some events");
  await command(browser, "pause the demo");
  await shows(browser, "demo", /PAUSED/);
  // What was under way ends meanwhile.
  await wait(20);
  // In a view as one comes to it, and where one writes: a caret blinks there.
  const places = { live: null, turn: null, "turn filter": "filter", compose: null, "compose text": "compose-output", channels: null, settings: null };
  for (const [place, field] of Object.entries(places)) {
    await go(browser, place.split(" ")[0]);
    if (field !== null) await (await browser.$(`[data-testid="${field}"]`)).click();
    await browser.action("pointer").move({ x: 700, y: 20 }).perform();
    await wait(5);
    await browser.execute(() => {
      window.foldbackChanges = [];
      window.foldbackWatch ??= new MutationObserver((records) => window.foldbackChanges.push(...records.map(({ target }) => (target.parentElement ?? target).closest("[data-testid]")?.dataset.testid ?? "?")));
      window.foldbackWatch.observe(document.documentElement, { subtree: true, childList: true, characterData: true, attributes: true });
    });
    const used = async () => [await cpu(pid, /^WebKitWebProces/), await cpu(pid, /^foldback-deskto/)];
    const [page, app] = await used();
    await wait(seconds);
    const [pageAfter, appAfter] = await used();
    const changes = await browser.execute(() => (window.foldbackWatch.disconnect(), window.foldbackChanges));
    const share = (from, to) => `${((100 * (to - from)) / seconds).toFixed(1)} %`;
    console.log(`${place.padEnd(12)} page ${share(page, pageAfter).padStart(7)}   app ${share(app, appAfter).padStart(7)} of a core   ${changes.length} changes of the page${changes.length === 0 ? "" : ` (${[...new Set(changes)].join(", ")})`}`);
  }
} finally {
  await window.close();
}
