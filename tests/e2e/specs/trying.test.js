import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { at, command, go, gone, press, shows, textOf, write } from "../harness/page.js";
import { script } from "../harness/script.js";
import { open, picture } from "../harness/window.js";

const rules = [
  { when: { contains: "fail" }, agent: [{ error: "overloaded" }] },
  { agent: [{ text: "I listen." }] },
];

describe("a message that is tried out", () => {
  let agent;
  let window;
  before(async () => {
    agent = await script(rules, "[queue]\nmode = \"followup\"");
    window = await open({ config: agent.config });
  });
  after(async () => {
    await window?.close();
    await agent?.close();
  });

  /** Has something on the screen in both themes, and keeps pictures of it. */
  const pictures = async (name, show) => {
    const { browser } = window;
    for (const theme of ["light", "dark"]) {
      await command(browser, `theme: ${theme}`);
      await show();
      await picture(browser, `${name}-${theme}`);
      if (theme === "light") await press(browser, Key.Escape);
    }
  };

  it("goes through all stages to its prompt, and its context decides", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-user", "/think high explain tides");
    await pictures("dry-run", async () => {
      await (await at(browser, "compose-prepare")).click();
      await shows(browser, "prepare-prompt", /explain tides/);
    });
    assert.doesNotMatch(await textOf(browser, "prepare-prompt"), /\/think/);
    await (await at(browser, "prepare-list")).setValue("somebody");
    await shows(browser, "prepare-answer", /may not write here/);
    await press(browser, Key.Escape);
    await gone(browser, "prepare");
  });

  it("waits in the lab as the queue's settings say", async () => {
    const { browser } = window;
    await pictures("queue-lab", async () => {
      await (await at(browser, "compose-lab")).click();
      await shows(browser, "lab-timeline", /replied/);
      // What was chosen before stays chosen.
      if (!(await (await at(browser, "lab-steps")).isExisting())) await (await at(browser, "lab-turn")).click();
      await shows(browser, "lab-steps", /\S/);
    });
    await press(browser, Key.Escape);
    await gone(browser, "lab");
  });

  it("is run again from its turn where its run failed", async () => {
    const { browser } = window;
    await write(browser, "compose-user", "please fail");
    await (await at(browser, "answers-agent")).click();
    await press(browser, Key.Ctrl, Key.Enter);
    await (await at(browser, "view-turn")).waitForDisplayed();
    await (await at(browser, "turn-again")).waitForDisplayed({ timeout: 30_000 });
    await picture(browser, "run-again-dark");
    await (await at(browser, "turn-again")).click();
    await (await at(browser, "confirm")).click();
    await go(browser, "live");
    await (await at(browser, "filter")).setValue("kind:run_again");
    await shows(browser, "event-count", /\b1 events?\b/);
  });

  it("shows its conversation in full", async () => {
    const { browser } = window;
    await go(browser, "sessions");
    await pictures("session-detail", async () => {
      await (await at(browser, "session-open")).click();
      await shows(browser, "session-detail", /session\.carry_over/);
    });
    await press(browser, Key.Escape);
    await gone(browser, "session-detail");
  });
});
