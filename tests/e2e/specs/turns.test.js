import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { at, command, eventually, go, gone, press, shows, textOf, type } from "../harness/page.js";
import { script } from "../harness/script.js";
import { open, picture } from "../harness/window.js";

const TURNS = 130;
const rules = [{ when: { contains: "needle" }, agent: [{ text: "<no-reply/>" }] }, { agent: [{ text: "I listen." }] }];

describe("the list of turns", () => {
  let agent;
  let window;
  before(async () => {
    agent = await script(rules);
    window = await open({ config: agent.config });
    // More than a list ever loaded at once, each a message through the whole pipeline.
    const failed = await window.browser.executeAsync((count, done) => {
      const { invoke } = window.__TAURI_INTERNALS__;
      const say = async () => {
        const channels = await invoke("rpc", { workspace: 0, name: "channels", args: {} });
        for (let n = 1; n <= count; n += 1) {
          const user_text = n % 50 === 0 ? `needle ${n}` : `straw ${n}`;
          await invoke("rpc", { workspace: 0, name: "compose_send", args: { channel: channels[0].channel, user_text, agent_output: null } });
        }
      };
      say().then(() => done(null), (thrown) => done(JSON.stringify(thrown)));
    }, TURNS);
    assert.equal(failed, null);
  });
  after(async () => {
    await window?.close();
    await agent?.close();
  });

  /** Numbers of the turns whose rows are wholly on the screen, from the top. */
  const inSight = () =>
    window.browser.execute(() => {
      const frame = document.querySelector('[data-testid="turn-list"] .viewport').getBoundingClientRect();
      const whole = (row) => row.getBoundingClientRect().top >= frame.top - 1 && row.getBoundingClientRect().bottom <= frame.bottom + 1;
      return [...document.querySelectorAll('[data-testid="turn"]')].filter(whole).map((row) => Number(row.dataset.turn));
    });
  const selected = () =>
    window.browser.execute(() => Number(document.querySelector('[data-testid="turn"][aria-selected="true"]')?.dataset.turn ?? 0));

  it("counts all of them and shows ten at least", async () => {
    const { browser } = window;
    await go(browser, "turn");
    await shows(browser, "turns", new RegExp(`\\b${TURNS} turns\\b`));
    const rows = await eventually(browser, async () => (await inSight())[0] === TURNS && inSight(), "the newest on top");
    const { width, height } = await browser.execute(() => ({ width: innerWidth, height: innerHeight }));
    assert.ok(width <= 1440 && height <= 900, `${width}×${height}`);
    assert.ok(rows.length >= 10, `${rows.length} rows at ${width}×${height}`);
    await picture(browser, "turns");
  });

  it("reveals a turn that the palette opens, however old", async () => {
    const { browser } = window;
    await command(browser, "#1");
    await shows(browser, "chat-pane", /#1\b/);
    await eventually(browser, async () => (await selected()) === 1 && (await inSight()).includes(1), "turn 1 in the list");
  });

  it("is filtered by the language of Live over all turns", async () => {
    const { browser } = window;
    await press(browser, "/");
    await eventually(browser, async () => (await at(browser, "filter")).isFocused(), "the filter");
    await type(browser, "needle kind:received");
    await press(browser, Key.Enter);
    await shows(browser, "turns", new RegExp(`\\b2 of ${TURNS} turns\\b`));
    assert.deepEqual(await inSight(), [100, 50]);
    // Turn 1 is still open: the list says why it is not there.
    await shows(browser, "turn-hidden", /hides turn #1\b/);
    await picture(browser, "turns-filtered");
    await (await at(browser, "turn-hidden")).$("button").click();
    await gone(browser, "turn-hidden");
    await eventually(browser, async () => (await selected()) === 1 && (await inSight()).includes(1), "turn 1 in the list again");
    assert.match(await textOf(browser, "turns"), new RegExp(`\\b${TURNS} turns\\b`));
  });
});
