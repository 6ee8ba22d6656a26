import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { endpoint } from "../harness/endpoint.js";
import { at, eventually, go, press, shows, textOf, write } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

/** Streamed with pauses: a block that stays open for a while, then text in two parts. */
const rules = [
  {
    when: { contains: "how was my talk" },
    agent: [
      { text: '<actions>\n  <react emoji="', after_ms: 200 },
      { text: 'fire" />\n</act', after_ms: 5000 },
      { text: "ions>\nIt was clear, ", after_ms: 500 },
      { text: "and the ending was brave.", after_ms: 5000 },
    ],
  },
];

const config = (url) => `
[agent]
backend = "openai"

[agent.openai]
base_url = "${url}"
model = "test"

[channels.telegram]
kind = "loopback"
platform = "telegram"
armed = true
allow_from = ["*"]
`;

/** Notes in the page itself what it shows, at every change: nothing is missed between two questions of the driver. */
const watch = (browser) =>
  browser.execute(() => {
    const shown = (id) => document.querySelector(`[data-testid="${id}"]`)?.innerText ?? "";
    window.seen = [];
    const note = () => {
      const now = { why: shown("why-card"), chat: shown("chat") };
      const last = window.seen.at(-1);
      if (last?.why !== now.why || last?.chat !== now.chat) window.seen.push(now);
    };
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
  });

describe("an agent behind an OpenAI-compatible endpoint", () => {
  let server;
  let window;
  before(async () => {
    server = await endpoint(rules);
    window = await open({ config: config(server.url) });
  });
  after(async () => {
    await window?.close();
    await server?.close();
  });

  it("answers a message typed in Compose live: what is held and why, then the reaction, then the text", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-user", "So, how was my talk?");
    await (await at(browser, "answers-agent")).click();
    await watch(browser);
    await press(browser, Key.Ctrl, Key.Enter);
    await (await at(browser, "view-turn")).waitForDisplayed();
    // On a busy machine it may be over when the driver asks again: what the page noted counts.
    const noted = () => browser.execute(() => window.seen.some(({ why }) => /reason\s*open_block/.test(why)));
    await eventually(browser, noted, "the open block to be held");
    await picture(browser, "agent-held");
    await shows(browser, "chat", /🔥[\s\S]*It was clear, and the ending was brave\./);
    await picture(browser, "agent-answered");
    assert.equal(server.output().includes("refused"), false, server.output());

    const seen = await browser.execute(() => window.seen);
    const story = JSON.stringify(seen, null, 1);
    const first = (what) => seen.findIndex(({ why, chat }) => what.test(`${chat}\n--\n${why}`));
    const held = first(/--[\s\S]*open_block/);
    const reaction = first(/🔥[\s\S]*--/);
    const text = first(/It was clear[\s\S]*--/);
    const whole = first(/ending was brave[\s\S]*--/);
    assert.ok(held >= 0 && held < reaction, `held before the reaction\n${story}`);
    assert.ok(reaction <= text, `the reaction not after the text\n${story}`);
    assert.ok(text < whole, `the text grows\n${story}`);
    assert.ok(seen.every(({ chat }) => !/<\/?act|<react/.test(chat)), `nothing of the block flashes\n${story}`);
    const reason = /<actions> block is open[\s\S]*26 bytes[\s\S]*reason\s*open_block[\s\S]*What releases them: <\/actions>/;
    assert.ok(seen.slice(0, reaction).some(({ why }) => reason.test(why)), `the reason while the block is open\n${story}`);
  });

  it("explains each step in the journal", async () => {
    const { browser } = window;
    await go(browser, "live");
    const filter = await at(browser, "filter");
    const tells = async (text, ...patterns) => {
      await filter.setValue(`turn:#1 ${text}`);
      for (const pattern of patterns) await shows(browser, "events", pattern);
    };
    await tells("kind:received", /how was my talk/);
    await tells("kind:run_started", /openai, test/);
    await tells("kind:held", /open_block 0\.\.\d+: An <actions> block is open/);
    await tells("kind:decided", /strip 0\.\.\d+: actions_block/, /show \d+\.\.\d+/);
    await tells("kind:intended", /react[\s\S]*send_text/);
    await tells("kind:ended", /sent/);
    await tells("kind:turn_ended", /answered/);
    assert.doesNotMatch(await textOf(browser, "events"), /failed/);
  });
});
