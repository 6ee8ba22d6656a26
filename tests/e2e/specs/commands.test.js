// What users write beside words for the agent: directives and commands, as their turns look in the window.
import { after, before, test } from "node:test";
import { Key } from "webdriverio";
import { at, go, press, shows, write } from "../harness/page.js";
import { script } from "../harness/script.js";
import { open, picture } from "../harness/window.js";

const owners = `[commands]\nowner_allow_from = ["*"]\n`;
let agent;
let window;

before(async () => {
  agent = await script([{ agent: [{ text: "I listen." }] }], owners);
  window = await open({ config: agent.config });
});
after(async () => {
  await window?.close();
  await agent?.close();
});

for (const [text, answer, ending] of [
  ["/help", /These commands are answered here/, "/help"],
  ["/commands", /Directives count for one message/, "/commands"],
  ["/status", /Agent: script/, "/status"],
  ["/whoami", /You own this bot/, "/whoami"],
  ["stop", /Nothing runs here/, "/stop"],
  ["/new", /A new conversation begins/, "/new"],
  ["/models", /script answers with/, "/models"],
  ["/activation always", /Activation is for groups/, "/activation"],
  ["/send default", /Send: default/, "/send"],
  ["/context", /The agent was not asked anything/, "/context"],
  ["/think high", /Think: high/, "directive ack"],
  ["/verbose on", /Verbose: on/, "directive ack"],
  ["/reasoning stream", /Reasoning: stream/, "directive ack"],
  ["/elevated ask", /Elevated: ask/, "directive ack"],
  ["/exec ask=always", /Exec: ask always/, "directive ack"],
  ["/exec host=gateway", /script decides itself where commands run/, "directive ack"],
  ["/model opus", /Model: opus/, "directive ack"],
  ["/queue cap:5", /Queue: mode steer \(default\)[\s\S]*cap 5 \(session\)/, "directive ack"],
]) {
  test(`${text} is answered and its turn says so`, async () => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-user", text);
    await (await at(browser, "answers-agent")).click();
    await press(browser, Key.Ctrl, Key.Enter);
    const view = await at(browser, "view-turn");
    await view.waitForDisplayed();
    await view.click();
    await shows(browser, "chat", answer);
    await shows(browser, "blocked", /Foldback answered this message itself/);
    await shows(browser, "turns", new RegExp(ending));
    if (text === "/commands") await picture(browser, "commands-list");
    if (text === "/think high") await picture(browser, "commands-think");
  });
}
