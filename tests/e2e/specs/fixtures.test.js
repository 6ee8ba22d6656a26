import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { at, eventually, go, textOf } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

const shipped = resolve(import.meta.dirname, "../../../fixtures");

/** The verdict of every case, as the matrix shows it: `path on channel: verdict`. */
const verdicts = (browser) =>
  browser.execute(() =>
    [...document.querySelectorAll('[data-testid="fixtures-matrix"] [data-path]')].flatMap((row) => {
      const cells = [...row.querySelectorAll("[data-verdict]")].filter((cell) => cell.dataset.verdict !== "not_for_it");
      const path = row.dataset.path;
      return cells.length === 0 ? [`${path}: unreadable`] : cells.map((cell) => `${path} on ${cell.ariaLabel}`);
    }),
  );

/** Runs all fixtures and waits for the verdict of the last case. */
async function runAll(browser) {
  await go(browser, "fixtures");
  const button = await at(browser, "fixtures-run-all");
  await button.waitForEnabled();
  await button.click();
  return eventually(
    browser,
    async () => {
      const cases = await verdicts(browser);
      const over = cases.length > 0 && !cases.some((verdict) => /: (none|waiting)$/.test(verdict));
      return over && (await (await at(browser, "fixtures-run-all")).isExisting()) && cases;
    },
    "the run to end",
    180_000,
  );
}

const notPassed = (cases) => cases.filter((verdict) => !verdict.endsWith(": pass"));

describe("fixtures", () => {
  let window;
  let folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "foldback-fixtures-"));
    await cp(shipped, folder, { recursive: true });
    window = await open({ env: { FOLDBACK_FIXTURES: folder } });
  });
  after(async () => {
    await window?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("run green, all of them", async () => {
    const { browser } = window;
    const cases = await runAll(browser);
    await picture(browser, "fixtures-green");
    assert.deepEqual(notPassed(cases), []);
    assert.ok(cases.length > 500, `${cases.length} cases`);
    assert.match(await textOf(browser, "fixtures"), new RegExp(`\\b${cases.length.toLocaleString("en")} pass`));
  });

  it("show a broken expectation red with its difference", async () => {
    const { browser } = window;
    const path = "documents/reaction-then-text.yaml";
    const text = await readFile(join(folder, path), "utf8");
    const broken = text.replace('Great idea!"}', 'Poor idea!"}');
    assert.notEqual(broken, text);
    await writeFile(join(folder, path), broken);
    const cases = await runAll(browser);
    const red = notPassed(cases).filter((verdict) => verdict.startsWith(path));
    const platforms = cases.filter((verdict) => verdict.startsWith(path)).length;
    assert.ok(platforms >= 5 && red.length === platforms, `${red}`);
    assert.ok(red.every((verdict) => verdict.endsWith(": fail")), `${red}`);

    await (await browser.$(`[data-path="${path}"]`)).click();
    await (await at(browser, "fixture-diff")).waitForDisplayed();
    assert.match(await textOf(browser, "fixture-verdict"), /fail/);
    const difference = await textOf(browser, "fixture-diff");
    assert.match(difference, /Poor idea/);
    assert.match(difference, /Great idea/);
    await picture(browser, "fixtures-red");
  });
});
