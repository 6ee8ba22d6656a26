import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { at, eventually, go, shows, textOf, write } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

describe("the fault deck", () => {
  let window;
  // Without the demonstration, whose calls the faults would hit as well.
  const config = `
[agent]
backend = "script"

[channels.discord]
kind = "loopback"
armed = true
allow_from = ["*"]
`;
  before(async () => (window = await open({ config })));
  after(() => window?.close());

  const send = async (browser, text) => {
    await go(browser, "compose");
    await write(browser, "compose-output", text);
    await (await at(browser, "send-discord")).click();
    await (await at(browser, "view-turn")).waitForDisplayed();
  };

  it("makes a call go wrong, marks it on the timeline, and leads to its events", async () => {
    const { browser } = window;
    await go(browser, "channels");
    await (await at(browser, "fault-plan")).click();
    await (await at(browser, "fault-place")).selectByAttribute("value", "channel:discord");
    await (await at(browser, "fault-preset-limited")).click();
    await picture(browser, "fault-dialog");
    await (await at(browser, "confirm")).click();
    await shows(browser, "faults", /planned\s*discord\s*send_text 1: rate_limited, wait 1500 ms\s*hit 0\s*of 0 calls since/);
    await shows(browser, "faults-planned", /1 FAULT PLANNED/);

    await send(browser, "Late, but there");
    await shows(browser, "ledger", /send_text\s*sent/);
    const mark = await at(browser, "fault-mark");
    assert.match(await mark.getAttribute("title"), /planned fault 1: send_text 1: rate_limited/);
    await shows(browser, "ledger", /planned fault 1: send_text 1: rate_limited/);
    await picture(browser, "fault-turn");

    await go(browser, "channels");
    await shows(browser, "faults", /done\s*discord[\s\S]*hit 1\s*of 2 calls since/);
    assert.equal(await (await browser.$('[data-testid="faults-planned"]')).isExisting(), false, "nothing is to come");
    await picture(browser, "fault-deck");
    await (await at(browser, "fault-hits")).click();
    await (await at(browser, "view-live")).waitForDisplayed();
    await shows(browser, "event-count", /\b1 event\b/);
    await shows(browser, "events", /goes wrong as planned, fault 1/);
  });

  it("cuts an agent off in the middle of its answer", async () => {
    const { browser } = window;
    await go(browser, "channels");
    await (await at(browser, "fault-plan")).click();
    await (await at(browser, "fault-place")).selectByAttribute("value", "agent:script");
    await (await at(browser, "fault-preset-cut-off")).click();
    await (await at(browser, "confirm")).click();
    await shows(browser, "faults", /the agent script\s*run 1: after 40 bytes fails: disconnected/);
    await send(browser, "Forty bytes of this answer are heard, and the rest of it is not.");
    await shows(browser, "chat", /Forty bytes of this answer are heard, an\b/);
    // Nothing more comes once the turn has failed; before that the rest might still be on its way.
    const turn = () => browser.execute(() => document.querySelector('[data-testid="turn"]')?.innerText ?? "");
    await eventually(browser, async () => /\bfailed\b/.test(await turn()), "the turn to fail");
    await (await browser.$('[data-testid="lane-agent"] [data-testid="bar"][title*="disconnected"]')).waitForExist();
    assert.doesNotMatch(await textOf(browser, "chat"), /rest of it/);
    assert.match(await (await at(browser, "fault-mark")).getAttribute("title"), /planned fault 2/);
    await go(browser, "channels");
    const remove = await browser.$('[data-testid="fault"][data-number="2"] [data-testid="fault-remove"]');
    await remove.click();
    await eventually(browser, async () => !/the agent script/.test(await textOf(browser, "faults")), "the fault to be gone");
  });
});
