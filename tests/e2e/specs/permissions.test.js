import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { askAgent, at, command, dismiss, go, gone, inSight, press, shows, takeRequest, textOf } from "../harness/page.js";
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
/** A call that changes one file in more lines than the card has room for, writes another, and sends a secret. */
const SECRET = "sk-abcdefghijklmnopqrstuvwx";
const gained = Array.from({ length: 60 }, (_, line) => `+rule ${line + 1} of the hills`);
const writes = {
  id: "p4", title: "Write the plan", does: "edit", options,
  arguments: JSON.stringify({ file_path: "plan.md", api_key: SECRET }),
  preview: {
    changes: [
      { path: "plan.md", added: 60, removed: 1, diff: ["@@ -1,2 +1,61 @@", " # The plan", "-nothing yet", ...gained, ""].join("\n") },
      { path: "maps/ridge.svg", added: 1, removed: 0, diff: "@@ -0,0 +1,1 @@\n+<svg/>\n" },
    ],
    locations: ["plan.md:2"],
    text: "The plan of the weekend, and a map.",
  },
  allowed: ["Written."], rejected: ["Then I leave it."],
};
/** A call of which only the beginning and the end are shown at once: what it hides stands between. */
const MIDDLE = "rm -r /";
const line = "echo a line of the hills\n";
const long = { ...asks("p5", "patch the hills").permission, arguments: JSON.stringify({ command: `${line.repeat(2_200)}${MIDDLE}\n${line.repeat(1_800)}` }) };
const rules = [
  { when: { contains: "patch" }, agent: [{ permission: long }] },
  { when: { contains: "write" }, agent: [{ permission: writes }] },
  { when: { contains: "tidy" }, agent: [asks("p1", "rm -r build")] },
  { when: { contains: "sweep" }, agent: [asks("p6", "rm -r dist")] },
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

  const ask = (text) => askAgent(window.browser, text);
  const answer = () => takeRequest(window.browser);
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
    await gone(browser, "permission");
    await gone(browser, "permissions-waiting");
    await journal("kind:permission_asked,permission_decided", /needs permission: rm -r build/, /Go ahead by the console/);
  });

  it("shows every line that it would write, where, and how long a masked secret is, before anybody allows it", async () => {
    const { browser } = window;
    await ask("Please write it down");
    await shows(browser, "permission", /Write the plan[\s\S]*plan\.md\s*\+60\s*−1[\s\S]*maps\/ridge\.svg\s*\+1\s*−0/);
    const card = await textOf(browser, "permission");
    for (const line of ["-nothing yet", ...gained, "+<svg/>", "In plan.md:2", "The plan of the weekend, and a map."]) {
      assert.ok(card.includes(line), `${line} in\n${card}`);
    }
    assert.match(card, /"api_key": "\[redacted: 27 characters\]"/);
    assert.ok(!card.includes(SECRET));
    // The answers stay in sight, however much there is to read.
    for (const id of ["permission-uncover", "permission-allow_once"]) assert.ok(await inSight(browser, id), `${id} is in sight`);
    for (const theme of ["light", "dark"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `permission-diff-${theme}`);
    }
    await (await at(browser, "permission-uncover")).click();
    await shows(browser, "permission-arguments", new RegExp(SECRET));
    await answer();
    await press(browser, "a");
    await shows(browser, "chat", /Written\./);
    await gone(browser, "permission");
    await journal('kind:permission_asked text:"Write the plan"', /needs permission: Write the plan/);
  });

  it("that is too long to be shown at once is shown whole before anybody allows it", async () => {
    const { browser } = window;
    await ask("Please patch them");
    await shows(browser, "permission", /patch the hills[\s\S]*Part of it is left out, as it is long\./);
    assert.ok(!(await textOf(browser, "permission-arguments")).includes(MIDDLE));
    await answer();
    await press(browser, "a");
    // The first answer shows the rest, and is none.
    await shows(browser, "permission", /All of it is shown now\./);
    await shows(browser, "toast", /not allowed yet: part of it was left out/);
    assert.ok((await textOf(browser, "permission-arguments")).includes(MIDDLE));
    for (const id of ["permission-uncover", "permission-allow_once"]) assert.ok(await inSight(browser, id), `${id} is in sight`);
    for (const theme of ["light", "dark"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `permission-long-${theme}`);
    }
    await answer();
    await press(browser, "a");
    await shows(browser, "chat", /Done\./);
    await gone(browser, "permission");
  });

  it("is rejected by the key that exports the turn, while it has the focus", async () => {
    const { browser } = window;
    await ask("Please sweep up");
    await shows(browser, "permission", /rm -r dist/);
    await answer();
    await press(browser, "x");
    await gone(browser, "permission");
    await gone(browser, "export-dialog");
    await shows(browser, "chat", /Then I leave it\./);
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
    await gone(browser, "permission");
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
    await dismiss(browser, "permission-sure");
    assert.match(await textOf(browser, "permission"), /rm -r build/);
    await (await at(browser, "permission-cancel")).click();
    await gone(browser, "permission");
    await journal("kind:permission_decided", /no answer is given by the console/);
  });

  it("that a setting rejects is asked of nobody, and why names the setting", async () => {
    const { browser } = window;
    await ask("Please delete everything");
    await shows(browser, "chat", /Then I leave it\./);
    await command(browser, "why?");
    await shows(browser, "why-answer", /rm -r \/ was not allowed \(agent\.permissions\.reject rejects it\)/);
    await dismiss(browser, "why-answer");
    await journal("kind:permission_decided", /Leave it by the configuration/);
  });

  it("waits for nobody where the turn is stopped from the window", async () => {
    const { browser } = window;
    await ask("Please tidy up, or do not");
    await shows(browser, "permission", /rm -r build/);
    await command(browser, "cancel the run of the turn");
    await (await at(browser, "session-dialog")).waitForDisplayed();
    await (await at(browser, "confirm")).click();
    await gone(browser, "permission");
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
