import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { at, command, eventually, go, press, shows, textOf, write } from "../harness/page.js";
import { script } from "../harness/script.js";
import { open, picture } from "../harness/window.js";

/** Its answers stand in no order and are called as it likes. */
const options = [
  { id: "o-no", name: "Leave it", kind: "reject_once" },
  { id: "o-all", name: "Always", kind: "allow_always" },
  { id: "o-yes", name: "Go ahead", kind: "allow_once" },
];
const asks = (id, title) => ({
  permission: { id, title, does: "execute", arguments: JSON.stringify({ command: title }), options, allowed: ["Done."], rejected: ["Then I leave it."] },
});
const rules = [
  { when: { contains: "tidy" }, agent: [asks("p1", "rm -r build")] },
  { when: { contains: "push" }, agent: [asks("p2", "git push")] },
  { when: { contains: "delete" }, agent: [{ permission: { ...asks("p3", "rm -r /").permission, does: "delete" } }] },
  { agent: [{ text: "I begin, " }, { text: "and go on.", after_ms: 600_000 }] },
];
const settings = `
[agent.permissions]
reject = ["delete"]
`;

describe("a request for permission", () => {
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

  const ask = async (text) => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-user", text);
    await (await at(browser, "answers-agent")).click();
    await press(browser, Key.Ctrl, Key.Enter);
    await (await at(browser, "view-turn")).waitForDisplayed();
  };
  /** Takes the keyboard to the oldest request, wherever one is. */
  const answer = async () => {
    const { browser } = window;
    await press(browser, Key.Ctrl, Key.Shift, "a");
    const focused = () => browser.execute(() => document.activeElement?.closest('[data-testid="permission-list"]') !== null);
    await eventually(browser, focused, "the request to take the keyboard");
  };
  const gone = (id) => eventually(window.browser, async () => (await textOf(window.browser, id)) === "", `${id} to be gone`);
  const journal = async (filter, ...patterns) => {
    const { browser } = window;
    await go(browser, "live");
    await (await at(browser, "filter")).setValue(filter);
    for (const pattern of patterns) await shows(browser, "events", pattern);
  };

  it("is answered by a key in its turn; the turn goes on, and the journal says who decided", async () => {
    const { browser } = window;
    await ask("Please tidy up");
    await shows(browser, "permission", /rm -r build[\s\S]*execute[\s\S]*left, then it is rejected[\s\S]*"command": "rm -r build"/);
    await shows(browser, "permissions-waiting", /1 PERMISSION ASKED/);
    await answer();
    // Enter is no answer.
    await press(browser, Key.Enter);
    assert.match(await textOf(browser, "permission"), /rm -r build/);
    await picture(browser, "permission");
    await press(browser, "a");
    await shows(browser, "chat", /Done\./);
    await gone("permission");
    await gone("permissions-waiting");
    await journal("kind:permission_asked,permission_decided", /may it\? rm -r build/, /Go ahead by the console/);
  });

  it("is found and rejected by keys from another view", async () => {
    const { browser } = window;
    await ask("Please push");
    await shows(browser, "permission", /git push/);
    await go(browser, "live");
    await answer();
    await (await at(browser, "view-sessions")).waitForDisplayed();
    await shows(browser, "session-list", /asks/);
    await press(browser, "x");
    await gone("permission");
    await go(browser, "turn");
    await shows(browser, "chat", /Then I leave it\./);
    await journal("kind:permission_decided", /Leave it by the console/);
  });

  it("for ever is asked once more, and not answered where one thinks better of it", async () => {
    const { browser } = window;
    await ask("Please tidy up again");
    await shows(browser, "permission", /rm -r build/);
    await answer();
    await press(browser, Key.Shift, "a");
    await shows(browser, "permission-sure", /Always, for ever\?[\s\S]*This call and all like it/);
    await press(browser, Key.Escape);
    await (await at(browser, "permission-sure")).waitForExist({ reverse: true });
    assert.match(await textOf(browser, "permission"), /rm -r build/);
    await (await at(browser, "permission-cancel")).click();
    await gone("permission");
    await journal("kind:permission_decided", /no answer is given by the console/);
  });

  it("that a setting rejects is asked of nobody, and why names the setting", async () => {
    const { browser } = window;
    await ask("Please delete everything");
    await shows(browser, "chat", /Then I leave it\./);
    await command(browser, "why (not)?");
    await shows(browser, "why-answer", /rm -r \/ was not allowed \(agent\.permissions\.reject rejects it\)/);
    await press(browser, Key.Escape);
    await journal("kind:permission_decided", /Leave it by the configuration/);
  });

  it("waits for nobody where the turn is stopped from the window", async () => {
    const { browser } = window;
    await ask("Please tidy up, or do not");
    await shows(browser, "permission", /rm -r build/);
    await command(browser, "stop the turn");
    await (await at(browser, "session-dialog")).waitForDisplayed();
    await (await at(browser, "confirm")).click();
    await gone("permission");
    await shows(browser, "chat", /Stopped\./);
    await journal("kind:run_cancelled,permission_decided", /stopped by the console/);
  });

  it("or none: a turn that writes is stopped in the middle, and what it said stays", async () => {
    const { browser } = window;
    await ask("Tell me everything");
    await shows(browser, "chat", /I begin,/);
    await (await at(browser, "turn-stop")).click();
    await (await at(browser, "confirm")).click();
    const chat = await shows(browser, "chat", /I begin,[\s\S]*Stopped\./);
    assert.doesNotMatch(chat, /go on/);
  });
});
