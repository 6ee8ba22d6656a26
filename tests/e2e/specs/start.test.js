import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { at, shows } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

const windows = [];
let folder;
/** A window that is closed after the test. */
const opened = async (options) => {
  const window = await open(options);
  windows.push(window);
  return window;
};
before(async () => (folder = await mkdtemp(join(tmpdir(), "foldback-start-"))));
after(async () => {
  await Promise.all(windows.map((window) => window.close()));
  await rm(folder, { recursive: true, force: true });
});

/** Keeps a picture of a page in each theme: what a person chose before, then the page loaded again. */
async function pictures(browser, page, name) {
  for (const theme of ["light", "dark"]) {
    await browser.execute((theme) => localStorage.setItem("foldback.prefs", JSON.stringify({ theme })), theme);
    await browser.refresh();
    await (await at(browser, page)).waitForDisplayed();
    assert.equal(await browser.execute(() => getComputedStyle(document.documentElement).colorScheme), theme);
    await picture(browser, `${name}-${theme}`);
  }
}

/** A data folder with a journal of this format: an SQLite database of one empty page. */
async function journalOfFormat(format) {
  const data = await mkdtemp(join(folder, "data-"));
  const page = Buffer.alloc(4096);
  page.write("SQLite format 3\0");
  page.writeUInt16BE(page.length, 16);
  page.set([2, 2, 0, 64, 32, 32], 18); // with a write-ahead log, as every journal
  page.writeUInt32BE(1, 28); // pages
  page.writeUInt32BE(4, 44); // of the schema's format
  page.writeUInt32BE(1, 56); // UTF-8
  page.writeUInt32BE(format, 60);
  page.write("FOLD", 68);
  page[100] = 13; // a leaf of a table, with nothing in it
  page.writeUInt16BE(page.length, 105);
  await writeFile(join(data, "journal.sqlite"), page);
  return data;
}

describe("a bot that takes its time", () => {
  it("is announced as starting until it runs, and then is there", async () => {
    // A configuration that is not written yet: the start waits for it, as it waits for a long journal or a slow disk.
    const config = join(folder, "slow.toml");
    await promisify(execFile)("mkfifo", [config]);
    const { browser } = await opened({ env: { FOLDBACK_CONFIG: config }, first: '[data-testid="starting"]' });
    await shows(browser, "starting", /Foldback is starting/);
    assert.equal(await (await at(browser, "view-live")).isExisting(), false);
    await pictures(browser, "starting", "start-slow");

    await writeFile(config, '[channels.telegram]\nkind = "loopback"\n');
    await (await at(browser, "view-live")).waitForDisplayed();
    assert.equal(await (await at(browser, "starting")).isExisting(), false);
  });
});

describe("a bot that cannot start", () => {
  it("says which line of the configuration is wrong, and what was probably meant", async () => {
    const { browser } = await opened({ config: '[channels.telegram]\nkind = "loopback"\nalow_from = ["*"]\n' });
    await shows(browser, "no-backend", /foldback\.toml:3/);
    const words = await shows(browser, "no-backend", /alow_from/);
    assert.match(words, /allow_from/);
    assert.match(words, /foldback doctor/);
    await pictures(browser, "no-backend", "start-bad-configuration");
  });

  it("says that the journal comes from a newer version, and leaves it alone", async () => {
    const data = await journalOfFormat(99);
    const journal = await readFile(join(data, "journal.sqlite"));
    const { browser } = await opened({ data });
    const words = await shows(browser, "no-backend", /journal\.sqlite has format 99/);
    assert.match(words, /use a newer Foldback/);
    assert.match(words, /Nothing was changed/);
    assert.deepEqual(await readFile(join(data, "journal.sqlite")), journal);
    await pictures(browser, "no-backend", "start-newer-journal");
  });

  it("says that another Foldback has the journal", async () => {
    const data = join(folder, "shared");
    const first = await opened({ data });
    await (await at(first.browser, "view-live")).waitForDisplayed();
    const { browser } = await opened({ data });
    await shows(browser, "no-backend", /journal\.sqlite is in use by another process/);
    await picture(browser, "start-locked");
  });
});
