import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { at, command, eventually, go, gone, press, shows, textOf, write } from "../harness/page.js";
import { script } from "../harness/script.js";
import { open, picture } from "../harness/window.js";

const rules = [
  { when: { contains: "count" }, agent: [{ text: "One, two, " }, { text: "three.", after_ms: 600_000 }] },
  { when: { contains: "lost" }, agent: [{ session: { id: "ses-2", start: "lost" } }, { text: "Tell me again?" }] },
  { agent: [{ session: { id: "ses-1" } }, { text: "I listen." }] },
];

describe("the conversations", () => {
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

  const say = async (text) => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-user", text);
    await (await at(browser, "answers-agent")).click();
    await press(browser, Key.Ctrl, Key.Enter);
    await (await at(browser, "view-turn")).waitForDisplayed();
  };
  const rows = async (filter, count, ...patterns) => {
    const { browser } = window;
    await go(browser, "live");
    await (await at(browser, "filter")).setValue(filter);
    await shows(browser, "event-count", new RegExp(`\\b${count} events?\\b`));
    for (const pattern of patterns) await shows(browser, "events", pattern);
  };
  /** Gives the one conversation the keyboard. */
  const take = async () => (await window.browser.$('[data-testid="session"] .state')).click();
  const confirm = async () => {
    const { browser } = window;
    await (await at(browser, "session-dialog")).waitForDisplayed();
    await (await at(browser, "confirm")).click();
    await gone(browser, "session-dialog");
  };

  it("say that there is none before somebody wrote", async () => {
    const { browser } = window;
    await go(browser, "sessions");
    await shows(browser, "view-sessions", /There is no conversation yet/);
  });

  it("are listed with the session the agent keeps, which the next turn goes on with", async () => {
    const { browser } = window;
    for (const text of ["Hello", "Hello again"]) {
      await say(text);
      await shows(browser, "chat", /I listen\./);
    }
    await go(browser, "sessions");
    await shows(browser, "session", /idle[\s\S]*telegram You[\s\S]*2 turns[\s\S]*script ses-1/);
    await picture(browser, "sessions");
    await rows("kind:agent_session", 2, /ses-1: new/, /ses-1: resumed/);
  });

  it("are forgotten by a key, after a question; the next message begins a new session and the journal says so", async () => {
    const { browser } = window;
    await go(browser, "sessions");
    await take();
    await press(browser, Key.Shift, "f");
    await shows(browser, "session-dialog", /Reset the conversation with You\?/);
    await confirm();
    await eventually(browser, async () => !/ses-1/.test(await textOf(browser, "session")), "the session to be forgotten");
    await rows("kind:session_reset", 1, /conversation reset by the console \(session ses-1 of the agent\)/);
    await say("Who am I?");
    await shows(browser, "chat", /I listen\./);
    await rows("kind:agent_session", 3, /ses-1: new[\s\S]*ses-1: resumed[\s\S]*ses-1: new/);
  });

  it("that the agent lost are begun anew, and the user is told", async () => {
    const { browser } = window;
    await say("You lost me");
    await shows(browser, "chat", /A new conversation begins[\s\S]*Tell me again\?/);
  });

  it("show what runs and what waits, which are dropped and stopped from the window", async () => {
    const { browser } = window;
    await say("Please count");
    await shows(browser, "chat", /One, two,/);
    await say("Hello?");
    await go(browser, "sessions");
    await shows(browser, "session", /writing[\s\S]*#\d+ for[\s\S]*1 waiting/);
    await take();
    await press(browser, Key.Shift, "d");
    await confirm();
    await eventually(browser, async () => !/waiting/.test(await textOf(browser, "session")), "nothing to wait");
    await command(browser, "cancel the run for you");
    await confirm();
    await shows(browser, "session", /idle/);
    assert.equal(await (await at(browser, "session-cancel")).isEnabled(), false, "nothing is left to stop");
    await rows("kind:run_cancelled", 1, /stopped by the console/);
    await rows("kind:stopping", 1, /dropped/);
  });
});
