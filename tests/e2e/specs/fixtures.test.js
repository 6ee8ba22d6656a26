import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { at, eventually, go, textOf } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

const shipped = resolve(import.meta.dirname, "../../../fixtures");

/** Runs all fixtures and waits for the last case. */
async function runAll(browser) {
  await go(browser, "fixtures");
  const button = await at(browser, "fixtures-run-all");
  await button.waitForEnabled();
  await button.click();
  const progress = await at(browser, "fixtures-progress");
  await eventually(
    browser,
    async () => Number(await progress.getAttribute("aria-valuenow")) > 0,
    "the run to begin",
  );
  await eventually(
    browser,
    async () => (await at(browser, "fixtures-run-all")).isExisting(),
    "the run to end",
    180_000,
  );
  return textOf(browser, "fixtures");
}

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
    const note = await runAll(browser);
    assert.match(note, /\d{3,} fixtures/, note.slice(0, 200));
    assert.doesNotMatch(note, /fail|error/i, note.slice(0, 200));
    const cells = await browser.$$('[data-testid="fixtures-matrix"] .verdict');
    assert.ok(cells.length > 20);
    await picture(browser, "fixtures-green");
  });

  it("show a broken expectation red with its difference", async () => {
    const { browser } = window;
    const path = join(folder, "documents/reaction-then-text.yaml");
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace("Great idea!\"}", "Poor idea!\"}"));
    const note = await runAll(browser);
    assert.match(note, /5 fail/, note.slice(0, 200));
    await (await browser.$('[data-path="documents/reaction-then-text.yaml"]')).click();
    await (await at(browser, "fixture-diff")).waitForDisplayed();
    assert.match(await textOf(browser, "fixture-verdict"), /fail/);
    const diff = await textOf(browser, "fixture-diff");
    assert.match(diff, /Poor idea/);
    assert.match(diff, /Great idea/);
    await picture(browser, "fixtures-red");
  });
});
