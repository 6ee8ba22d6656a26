import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { at, eventually, go, shows, textOf } from "../harness/page.js";
import { script } from "../harness/script.js";
import { open, picture } from "../harness/window.js";

// Once a year, so that only a person begins it while the window is open.
const schedule = `
[[schedule]]
name = "yearly"
cron = "0 9 1 1 *"
channel = "telegram"
chat = "42"
prompt = "What is new?"
`;

const rules = [{ agent: [{ text: "<actions><react emoji=\"eyes\" /></actions>" }, { text: "Nothing new " }, { text: "this year." }] }];

describe("the schedules", () => {
  let agent;
  let window;
  before(async () => {
    agent = await script(rules, schedule);
    window = await open({ config: agent.config });
  });
  after(async () => {
    await window?.close();
    await agent?.close();
  });

  const click = async (id) => (await at(window.browser, id)).click();
  /** How many events a filter of Live finds. */
  const rows = async (filter, count, pattern) => {
    const { browser } = window;
    await go(browser, "live");
    await (await at(browser, "filter")).setValue(filter);
    await shows(browser, "event-count", new RegExp(`\\b${count} events?\\b`));
    await shows(browser, "events", pattern);
  };

  it("say what comes next, and that nothing ran yet", async () => {
    const { browser } = window;
    await go(browser, "schedules");
    await shows(browser, "schedules", /1 schedule\b/);
    await shows(browser, "schedule", /yearly[\s\S]*cron 0 9 1 1 \*[\s\S]*Next [\s\S]*telegram 42[\s\S]*Never ran/);
  });

  it("are begun by hand, and show what was delivered, without what was only for the bot", async () => {
    const { browser } = window;
    await click("schedule-run");
    await shows(browser, "schedule-dialog", /Run yearly now\?[\s\S]*chat 42 on telegram/);
    await click("confirm");
    // The list is asked for anew every few seconds.
    await shows(browser, "schedule", /#\d+[\s\S]*answered[\s\S]*Nothing new this year\./);
    assert.equal((await textOf(browser, "schedule-said")).trim(), "Nothing new this year.");
    await shows(browser, "schedule-next", /^Next /);
    await picture(browser, "schedules");
  });

  it("are paused, also for the journal, and go on", async () => {
    const { browser } = window;
    await click("schedule-pause");
    await shows(browser, "schedule-next", /^Paused$/);
    await shows(browser, "schedule-pause", /Resume/);
    await rows("kind:schedule_paused", 1, /yearly/);
    await go(browser, "schedules");
    await click("schedule-pause");
    await shows(browser, "schedule-next", /^Next /);
    await shows(browser, "schedule-pause", /Pause/);
    await rows("kind:schedule_paused", 2, /yearly/);
  });

  it("lead to the turn of the last run", async () => {
    const { browser } = window;
    await go(browser, "schedules");
    const shown = await shows(browser, "schedule-turn", /\d/);
    await click("schedule-turn");
    await (await at(browser, "view-turn")).waitForDisplayed();
    const number = shown.replace(/\D/g, "");
    const selected = () => browser.execute(() => document.querySelector('[data-testid="turn"][aria-selected="true"]')?.dataset.turn);
    await eventually(browser, async () => (await selected()) === number, `turn ${shown} to be open`);
    await shows(browser, "chat", /Nothing new this year\./);
  });
});
