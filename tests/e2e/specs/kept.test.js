import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { at, command, dismiss, eventually, go, press, shows, write } from "../harness/page.js";
import { script } from "../harness/script.js";
import { telegram } from "../harness/telegram.js";
import { open, picture } from "../harness/window.js";

/** Prose of about so many messages of Discord, which takes 2,000 characters. */
const prose = (messages) => Array.from({ length: messages * 20 }, (_, line) => `Line ${line} ${"of the long way ".repeat(6)}`).join("\n");
const rules = [
  { when: { contains: "slowly" }, agent: [{ text: "One moment, " }, { text: "please.", after_ms: 600_000 }] },
  { when: { contains: "everything" }, agent: [{ text: prose(5) }] },
  { when: { contains: "three parts" }, agent: [{ text: prose(2.5) }] },
  { agent: [{ text: "Here I am." }] },
];
const channels = (url) => `
[channels.telegram]
token = { env = "E2E_TELEGRAM" }
api_root = "${url}"
dm_policy = "pairing"

[channels.discord]
kind = "loopback"
armed = true
allow_from = ["*"]

[channels.signal]
kind = "loopback"
armed = true
allow_from = ["*"]
`;
const MESSAGES = [
  { id: 11, from: 42, name: "Ada", chat: 42, text: ["no", "text"] },
  { id: 12, from: 666, name: "Mallory", chat: 666, text: "Let me in" },
];

describe("what is kept back, passed over or waits", () => {
  let agent;
  let platform;
  let window;
  before(async () => {
    platform = await telegram(MESSAGES);
    agent = await script(rules, "", channels(platform.url));
    const config = agent.config.replace('backend = "script"', `backend = "script"\nmax_runs = 1`).replace("[channels.telegram]", "[output]\nmax_messages = 3\n\n[store]\nkeep_unaddressed = true\n\n[channels.telegram]");
    window = await open({ config, env: { E2E_TELEGRAM: "123456:only-for-tests_0123456789012345678" } });
  });
  after(async () => {
    await window?.close();
    await agent?.close();
    await platform?.close();
  });

  const ask = async (channel, text) => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-user", text);
    await (await at(browser, "answers-agent")).click();
    await (await at(browser, `send-${channel}`)).click();
    await (await at(browser, "view-turn")).waitForDisplayed();
  };
  /** The one row of a filter: until it alone is there, others stand above it. */
  const row = async (filter, pattern) => {
    const { browser } = window;
    await go(browser, "live");
    await (await at(browser, "filter")).setValue(filter);
    await shows(browser, "event-count", /\b1 event\b/);
    await shows(browser, "events", pattern);
  };
  /** A picture of what is there now, in both themes. */
  const pictures = async (name) => {
    const { browser } = window;
    for (const theme of ["light", "dark"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `${name}-${theme}`);
    }
  };
  /** Opens the first row of the list. */
  const first = async () => {
    const { browser } = window;
    // The filter's proposals lie over the first rows.
    const proposals = await at(browser, "filter-proposals");
    const clear = async () => !(await proposals.isExisting()) || (await press(browser, Key.Escape), false);
    await eventually(browser, clear, "the proposals to be gone");
    await (await browser.$('[data-testid="events"] [role="row"][aria-selected]')).click();
  };

  it("a message that cannot be read is a row with what came, and its channel says so", async () => {
    const { browser } = window;
    await row("kind:unreadable", /a message of telegram cannot be read/);
    await first();
    await shows(browser, "event-inspector", /expected a string[\s\S]*Decided from[\s\S]*"no","text"/);
    await pictures("kept-unreadable");
    await go(browser, "channels");
    await shows(browser, "channel-telegram", /a message could not be read/);
  });

  it("somebody unknown waits with a code", async () => {
    const { browser } = window;
    await go(browser, "channels");
    await shows(browser, "pairing", /Mallory/);
    await (await at(browser, "pairing")).scrollIntoView();
    await pictures("kept-pairing");
  });

  it("an answer with more messages than its chat should get says how much was kept back, and where it is", async () => {
    await ask("discord", "Tell me everything");
    const { browser } = window;
    await shows(browser, "ledger", /send_file[\s\S]*sent/);
    await pictures("kept-truncated-turn");
    await row("kind:truncated", /bytes beyond the 3 messages of the turn are sent as answer-2\.txt/);
    await first();
    await pictures("kept-truncated");
  });

  it("the parts behind one that failed are held with it", async () => {
    const { browser } = window;
    await go(browser, "channels");
    await (await at(browser, "fault-plan")).click();
    await (await at(browser, "fault-place")).selectByAttribute("value", "channel:discord");
    await (await at(browser, "fault-preset-forbidden")).click();
    await (await at(browser, "fault-nth")).setValue("2");
    await (await at(browser, "confirm")).click();
    await shows(browser, "faults-planned", /1 FAULT PLANNED/);
    await ask("discord", "In three parts, please");
    await shows(browser, "ledger", /send_text[\s\S]*sent[\s\S]*send_text[\s\S]*failed/);
    await pictures("kept-parts");
    await go(browser, "channels");
    await (await browser.$('[data-testid="channel-discord"] [data-testid="channel-ledger"]')).click();
    await shows(browser, "book-dead", /failed/);
    await picture(browser, "kept-parts-ledger");
    await dismiss(browser, "book-dead");
  });

  it("a message waits for a run to end, and says so", async () => {
    const { browser } = window;
    await ask("discord", "Tell me slowly");
    await shows(browser, "chat", /One moment,/);
    await ask("signal", "And me?");
    await shows(browser, "turns", /waits/);
    await pictures("kept-queued-turn");
    await row("kind:queued", /waits at place 1: 1 run is under way/);
    await first();
    await pictures("kept-queued");
  });
});
