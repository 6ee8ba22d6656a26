// The window on a journal of 400,000 events: `npm run bench:long`. Measured in the page, from the click or the key to what
// it shows: the list of turns with its count, and the next error, or that there is none. The figures depend on the machine;
// they are printed, not judged.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { at, dive, eventually, go, shows, textOf } from "../harness/page.js";
import { end, start, until } from "../harness/processes.js";
import { open } from "../harness/window.js";
import { Key } from "webdriverio";

const profile = process.env.FOLDBACK_BENCH_PROFILE ?? "release";
const writer = process.env.FOLDBACK_LONG_JOURNAL ?? resolve(import.meta.dirname, `../../../target/${profile}/examples/long_journal`);
const events = process.env.FOLDBACK_BENCH_EVENTS ?? "400000";

/** Has the page note when it first shows a text in an element, counted from the next click or key. */
function watch(id, pattern) {
  const wanted = new RegExp(pattern);
  const watched = (globalThis.watched = { from: null, ms: null, text: "" });
  const begin = () => (watched.from ??= performance.now());
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, begin, { capture: true, once: true });
  const look = () => {
    const text = document.querySelector(`[data-testid="${id}"]`)?.textContent ?? "";
    if (watched.from !== null && wanted.test(text)) Object.assign(watched, { ms: performance.now() - watched.from, text: wanted.exec(text)[0] });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

const folder = await mkdtemp(join(tmpdir(), "foldback-long-"));
let window;
try {
  const written = start(writer, ["--write", folder, events]);
  await until(() => written.exitCode !== null, "the journal", 12_000);
  await end(written);
  if (written.exitCode !== 0) throw new Error(`the journal was not written: ${written.output}`);
  window = await open({ data: folder, profile, config: '[channels.telegram]\nkind = "loopback"\n', env: { FOLDBACK_DRAWING: "processor" } });
  const { browser } = window;
  const measure = async (what, id, pattern, act) => {
    await browser.execute(watch, id, pattern);
    await act();
    const { ms, text } = await eventually(browser, () => browser.execute(() => globalThis.watched.ms !== null && globalThis.watched), what);
    console.log(`${what}: ${text} after ${ms.toFixed(0)} ms`);
  };
  await go(browser, "live");
  await dive(browser, "everything");
  await shows(browser, "event-count", new RegExp(Number(events).toLocaleString("en").slice(0, 3)));
  console.log(`The journal: ${await textOf(browser, "event-count")}.`);
  await measure("the list of turns", "turns", "[\\d,]{4,} turns", async () => (await at(browser, "rail-turn")).click());
  await go(browser, "live");
  const selected = "[data-testid=\"events\"] [aria-selected=\"true\"]";
  const move = async (what, key, place) => {
    await (await browser.$('[data-testid="events"] [data-index]')).click();
    await browser.keys([place]);
    await eventually(browser, () => browser.execute((row) => document.querySelector(row) !== null, selected), "a selected row");
    const from = await browser.execute((row) => document.querySelector(row).dataset.index, selected);
    await browser.execute((row, before) => {
      const watched = (globalThis.watched = { from: null, ms: null, text: "" });
      addEventListener("keydown", () => (watched.from ??= performance.now()), { capture: true, once: true });
      const look = () => {
        const now = document.querySelector(row);
        const note = document.querySelector('[data-testid="jump-note"]')?.textContent ?? "";
        const text = now?.querySelector(".is-error") && now.dataset.index !== before ? `row ${now.dataset.index}` : note;
        if (watched.from !== null && text !== "") Object.assign(watched, { ms: performance.now() - watched.from, text });
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, selected, from);
    await browser.keys(key);
    const { ms, text } = await eventually(browser, () => browser.execute(() => globalThis.watched.ms !== null && globalThis.watched), what);
    console.log(`${what}: ${text} after ${ms.toFixed(0)} ms`);
  };
  await move("`e` at the first row", ["e"], Key.Home);
  await move("`E` at the last row", [Key.Shift, "e"], Key.End);
  await move("`e` at the last row", ["e"], Key.End);
} finally {
  await window?.close();
  await rm(folder, { recursive: true, force: true });
}
