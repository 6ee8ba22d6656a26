import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { at, command, eventually, go, press, shows, textOf, write } from "../harness/page.js";
import { script } from "../harness/script.js";
import { open, picture } from "../harness/window.js";

const event = (payload) => JSON.stringify({ actions: [{ type: "event", payload }] });
const rules = [
  { when: { contains: "[event of event]" }, agent: [{ text: "You wanted to call Bob." }] },
  { when: { contains: "[result of event]" }, agent: [{ text: "I will remind you." }] },
  { when: { contains: "soon" }, agent: [{ text: event({ description: "Call Bob", send_in: "3 seconds" }) }] },
  { agent: [{ text: event({ description: "Pay the rent", date: "2030-01-31", time: "09:00", repeat: "monthly", zone: "Europe/Berlin" }) }] },
];
const settings = `
[output]
dialects = ["actions", "silence", "header", "guard", "json"]
[actions.event]
enabled = true

[[schedule]]
name = "morning"
cron = "0 9 * * *"
channel = "telegram"
chat = "42"
prompt = "What is new?"
[[schedule]]
name = "beat"
every = "8760h"
heartbeat = true
channel = "telegram"
chat = "42"
`;

describe("reminders", () => {
  let agent;
  let window;
  before(async () => {
    agent = await script(rules, settings);
    window = await open({ config: agent.config });
  });
  after(async () => {
    await window?.close();
    await agent?.close();
  });

  const click = async (id) => (await at(window.browser, id)).click();
  const say = async (text) => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-user", text);
    await click("answers-agent");
    await press(browser, Key.Ctrl, Key.Enter);
    await (await at(browser, "view-turn")).waitForDisplayed();
  };

  it("is set by the agent, comes due, and is told in its chat", async () => {
    const { browser } = window;
    await say("remind me soon");
    await go(browser, "schedules");
    await shows(browser, "reminder", /Call Bob[\s\S]*once, on [\s\S]*set in #1/);
    await shows(browser, "reminder", /Over[\s\S]*#\d+ [\s\S]*answered/);
    await click("reminder-turn");
    await (await at(browser, "view-turn")).waitForDisplayed();
    await shows(browser, "chat", /You wanted to call Bob\./);
    await shows(browser, "chain", /Call Bob/);
    await picture(browser, "reminders-turn");
  });

  it("stands in the list beside the schedules, with its times, its chat and its maker", async () => {
    const { browser } = window;
    await say("every month");
    await go(browser, "schedules");
    await shows(browser, "schedules", /2 schedules, 1 reminder\b/);
    const row = await browser.$("[data-testid='reminder'][data-reminder='2']");
    await row.waitForDisplayed();
    assert.match(await row.getText(), /Pay the rent[\s\S]*every month on the 31st or the last day at 09:00, Europe\/Berlin[\s\S]*Next 2030-01-31[\s\S]*telegram/);
    for (const theme of ["light", "dark"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `reminders-list-${theme}`);
    }
  });

  it("stands on its day of a month, with what was delivered", async () => {
    const { browser } = window;
    await click("calendar-month");
    await shows(browser, "month", /Call Bob/);
    await shows(browser, "day-list", /Call Bob[\s\S]*Turn #\d+ answered/);
    for (const theme of ["light", "dark"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `reminders-month-${theme}`);
    }
    const name = await textOf(browser, "month-name");
    await (await browser.$("[role='gridcell'][aria-selected='true']")).click();
    await press(browser, Key.PageDown);
    await eventually(browser, async () => (await textOf(browser, "month-name")) !== name, "the next month");
    await shows(browser, "month", /morning/);
    await click("month-today");
    await shows(browser, "month-name", new RegExp(name));
  });

  it("is still a month after a look at another view", async () => {
    const { browser } = window;
    await go(browser, "live");
    await go(browser, "schedules");
    await shows(browser, "month", /Call Bob/);
  });

  it("is whole in a small window, with the day that is chosen in view", async () => {
    const { browser } = window;
    const { width, height } = await browser.getWindowSize();
    await browser.setWindowSize(1000, 700);
    /** What of the month is clipped, in pixels, how many weeks it has, and whether the chosen day is in view. */
    const drawn = () => browser.execute(() => {
      const month = document.querySelector("[data-testid='month']");
      const chosen = month.querySelector("[aria-selected='true']");
      const { left, right, top, bottom } = chosen.getBoundingClientRect();
      const seen = [[left + 2, top + 2], [right - 2, bottom - 2]].every(([x, y]) => chosen.contains(document.elementFromPoint(x, y)));
      return { clipped: month.scrollHeight - month.clientHeight, weeks: month.querySelectorAll("[role='row']").length - 1, seen };
    });
    const whole = async (what) => {
      await eventually(browser, async () => (await drawn()).seen, what);
      const { clipped, weeks } = await drawn();
      assert.deepEqual({ clipped, weeks }, { clipped: 0, weeks: 6 }, what);
    };
    for (const theme of ["light", "dark"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `reminders-month-small-${theme}`);
    }
    await whole("the day of today");
    await (await browser.$("[role='gridcell'][aria-selected='true']")).click();
    for (let week = 0; week < 5; week++) {
      await press(browser, Key.ArrowDown);
      await whole(`${week + 1} weeks later`);
    }
    await click("month-today");
    await whole("today again");
    await browser.setWindowSize(width, height);
  });

  it("is cancelled once a person said so", async () => {
    const { browser } = window;
    await click("calendar-list");
    await click("reminder-cancel");
    await shows(browser, "reminder-dialog", /Cancel this reminder\?[\s\S]*Pay the rent/);
    await click("confirm");
    await shows(browser, "schedules", /2 schedules, 0 reminders/);
    await go(browser, "live");
    await (await at(browser, "filter")).setValue("kind:reminder_cancelled");
    await shows(browser, "event-count", /\b1 events?\b/);
  });
});
