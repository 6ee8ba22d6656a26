import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { allAt, askAgent, at, command, dive, eventually, go, gone, inSight, shows, textOf } from "../harness/page.js";
import { script } from "../harness/script.js";
import { open, picture } from "../harness/window.js";

const rules = [
  { when: { contains: "[result of bash]" }, agent: [{ text: "Your disk has room." }] },
  { when: { contains: "remove" }, agent: [{ text: JSON.stringify({ actions: [{ type: "bash", payload: { command: "rm -r /" } }] }) }] },
  { when: { contains: "[error of bash]" }, agent: [{ text: "I may not do that." }] },
  { agent: [{ text: JSON.stringify({ actions: [{ type: "bash", payload: { command: "echo 53#" } }] }) }] },
];
// Whoever writes by hand in the window is `console`.
const settings = `
[output]
dialects = ["json"]
[commands]
owner_allow_from = ["console"]
[deliveries]
per_requester = 2
[actions.bash]
enabled = true
allow = ["echo .*"]
deny = ["rm .*"]
`;

describe("the chain of an action", () => {
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
  /** The turn of the chain that is open. */
  const openTurn = () => window.browser.execute(() => document.querySelector('[data-testid="chain-turn"][aria-current="step"]')?.dataset.turn);
  const isOpen = (turn) => eventually(window.browser, async () => (await openTurn()) === turn, `turn ${turn} of the chain to be open`);

  it("goes from the message to what was sent, as one picture", async () => {
    const { browser } = window;
    await askAgent(browser, "how full is the disk?");
    await shows(
      browser, "chain",
      /turn #1[\s\S]*Message of You[\s\S]*how full is the disk\?[\s\S]*bash echo 53#[\s\S]*exit status 0[\s\S]*allowed by actions\.bash\.allow[\s\S]*ended after[\s\S]*Result to the agent\s*turn #2[\s\S]*turn #2[\s\S]*answered[\s\S]*Action result of bash[\s\S]*delivery 1 of at most 3[\s\S]*Message\s*“Your disk has room\.”\s*sent/,
    );
    await isOpen("1");
    // An answer of an action alone is named so, and no directive is claimed.
    assert.match(await textOf(browser, "inspector"), /Directives\s+0\s+The agent wrote no directive in this turn\. Its answer asked for 1 action: see Chain\./);
    assert.ok((await allAt(browser, "lane-actions")).length === 1, "the time that the command ran is a bar of its own");
    for (const theme of ["light", "dark"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `chain-message-${theme}`);
    }
  });

  it("leads forward to the delivery turn, which has the data exactly as its agent was given it", async () => {
    const { browser } = window;
    await click("chain-next");
    await isOpen("2");
    const text = await browser.execute(() => document.querySelector('[data-testid="chain-data-text"]').textContent);
    // A number sign could begin a heading of the prompt, and is escaped.
    assert.match(text, /53\\u0023/);
    const data = JSON.parse(text);
    assert.equal(data.command, "echo 53#");
    assert.deepEqual(data.items.map(({ label, exit, text: printed }) => [label, exit, printed]), [["stdout", 0, "53#\n"]]);
    await shows(browser, "chat", /Your disk has room\./);
    for (const theme of ["light", "dark"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `chain-delivery-${theme}`);
    }
  });

  it("leads back to the message, and from a step to its event", async () => {
    const { browser } = window;
    await click("chain-open");
    await isOpen("1");
    await shows(browser, "view-turn", /how full is the disk\?/);
    const steps = await allAt(browser, "chain-step");
    const fact = await steps[0].$("button.fact:last-child");
    await fact.click();
    await shows(browser, "why-card", /bash ended: output, exit status 0/);
    // A step of another turn opens that turn, at its event.
    await (await (await allAt(browser, "chain-event"))[2]).click();
    await isOpen("2");
  });

  it("says why an action was refused, and by which setting", async () => {
    const { browser } = window;
    await askAgent(browser, "remove all of it");
    await shows(browser, "chain", /bash rm -r \/\s*denied[\s\S]*Setting: actions\.bash\.deny[\s\S]*Error of bash[\s\S]*I may not do that\./);
    await picture(browser, "chain-refused");
  });

  it("says where a budget ended it, and leads to the budgets", async () => {
    const { browser } = window;
    await askAgent(browser, "and now?");
    await shows(browser, "chain", /Result not delivered to the agent\s*requester budget[\s\S]*Setting: deliveries\.per_requester[\s\S]*Notice[\s\S]*was not done/);
    for (const theme of ["light", "dark"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `chain-budget-${theme}`);
    }
    await click("chain-deliveries");
    await shows(browser, "budget-requester", /2 \/ 2\s*full/);
    await eventually(browser, () => inSight(browser, "budget-requester"), "the budgets to be in sight");
  });

  it("is listed in Live with the beginning of each outcome, and with its question, however small the window", async () => {
    const { browser } = window;
    await go(browser, "live");
    await dive(browser, "turns");
    for (const width of [1440, 1000]) {
      await browser.setWindowSize(width, 800);
      await eventually(browser, () => browser.execute((wanted) => innerWidth === wanted, width), "the window to be so wide");
      await shows(browser, "turn-list", /refused: denied/);
      for (const theme of ["light", "dark"]) {
        await command(browser, `theme: ${theme}`);
        await picture(browser, `chain-live-${width}-${theme}`);
      }
      const { clipped, narrowest } = await browser.execute(() => {
        const cells = [...document.querySelectorAll('[data-testid="turn-list"] [role="gridcell"].end')];
        const questions = [...document.querySelectorAll('[data-testid="turn-list"] [role="gridcell"].said')];
        const starts = cells.filter((cell) => cell.firstElementChild !== null && cell.firstElementChild.getBoundingClientRect().left < cell.getBoundingClientRect().left - 0.5);
        return { clipped: starts.map((cell) => cell.textContent), narrowest: Math.min(...questions.map((cell) => cell.getBoundingClientRect().width)) };
      });
      assert.deepEqual(clipped, [], `clipped at ${width}`);
      assert.ok(narrowest >= 140, `the question has ${narrowest} px at ${width}`);
    }
    await browser.setWindowSize(1440, 900);
  });

  it("stays readable in a narrow window", async () => {
    const { browser } = window;
    await go(browser, "turn");
    // Enlarged, the smallest window has no room for three panes: the outcomes go, until they are asked for.
    await browser.setWindowSize(900, 700);
    await eventually(browser, () => browser.execute(() => innerWidth < 1000), "the smaller window");
    await command(browser, "zoom in");
    await gone(browser, "chain");
    await (await browser.$("button=Outcomes")).click();
    await shows(browser, "chain", /Result not delivered to the agent/);
    const { wide, room } = await browser.execute(() => {
      const inspector = document.querySelector('[data-testid="inspector"]');
      return { wide: inspector.scrollWidth, room: inspector.clientWidth };
    });
    assert.ok(wide <= room, `${wide} px in ${room} px`);
    await picture(browser, "chain-narrow");
  });
});
