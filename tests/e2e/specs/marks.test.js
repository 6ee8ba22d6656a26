import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { allAt, at, command, dive, eventually, exportRecording, go, gone, press, shows, textOf } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

describe("turns that are marked in Live", () => {
  let window;
  before(async () => (window = await open()));
  after(() => window?.close());

  it("are exported alone, by keys alone, and the dialog says which", async () => {
    const { browser, folder } = window;
    await go(browser, "live");
    await dive(browser, "turns");
    await eventually(browser, async () => (await allAt(browser, "turn")).length >= 5, "five turns");
    await command(browser, "pause the demo");
    const row = async (turn) => browser.$(`[data-testid="turn"][data-turn="${turn}"]`);
    await (await row(4)).click();
    await press(browser, "m");
    await shows(browser, "marks", /^1 turn marked/);
    // With the newest first, an arrow up goes to a later turn.
    await press(browser, Key.Shift, Key.ArrowDown);
    await shows(browser, "marks", /^2 turns marked/);
    for (const [theme, name] of [["dark", "dark"], ["light", "light"]]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `marks-${name}`);
    }
    await command(browser, "export the marked turns");
    await shows(browser, "export-what-marks", /2 marked turns/);
    await shows(browser, "export-preview", /2 turns \(#3, #4\), [\d,]+ B/);
    await picture(browser, "marks-export-light");
    const file = join(folder, "marked.jsonl");
    await exportRecording(browser, file);
    const turns = new Set([...(await readFile(file, "utf8")).matchAll(/"turn":(\d+)/g)].map(([, turn]) => Number(turn)));
    assert.deepEqual([...turns].sort(), [3, 4]);
  });

  it("are marked in every depth, and unmarked together", async () => {
    const { browser } = window;
    await dive(browser, "everything");
    await (await at(browser, "filter")).setValue("turn:3");
    await eventually(browser, () => browser.execute(() => document.querySelectorAll('[data-testid="events"] .line.marked').length > 3), "marked events");
    await picture(browser, "marks-events-light");
    await (await at(browser, "marks-clear")).click();
    await gone(browser, "marks");
    assert.equal(await browser.execute(() => document.querySelectorAll(".line.marked").length), 0);
    assert.match(await textOf(browser, "events"), /#3/);
  });
});
