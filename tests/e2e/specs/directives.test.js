// Directives of users, each value of each: written in the window, acknowledged, and for one turn beside a text.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { shows } from "../harness/page.js";
import { script } from "../harness/script.js";
import { documented, holds, isAnswered, offered, say } from "../harness/typed.js";
import { open, picture } from "../harness/window.js";

const settings = `
[commands]
owner_allow_from = ["*"]

[agent.models]
opus = "anthropic/claude-opus-4-5"
`;

const levels = (name, title, values) => values.map((value) => [`/${name} ${value}`, new RegExp(`${title}: ${value}`)]);
/** Texts that are directives and nothing else, with what they are answered. */
const alone = [
  ...levels("think", "Think", ["off", "minimal", "low", "medium", "high", "xhigh", "max", "default"]),
  ["/thinking low", /Think: low/],
  ["/t medium", /Think: medium/],
  ["/think", /Think: medium\. To change it: \/think high/],
  ...levels("verbose", "Verbose", ["on", "full", "off"]),
  ["/v on", /Verbose: on/],
  ...levels("reasoning", "Reasoning", ["on", "stream", "off"]),
  ["/reason stream", /Reasoning: stream/],
  ...levels("elevated", "Elevated", ["on", "ask", "full", "off"]),
  ["/elev ask", /Elevated: ask/],
  ["/exec host=sandbox", /Exec: .*host sandbox/],
  ["/exec host=gateway", /Exec: .*host gateway/],
  ["/exec host=node node=n1", /Exec: .*host node.*n1/],
  ["/exec host=auto", /Exec: .*host auto/],
  ["/exec security=deny ask=off", /Exec: ask off.*security deny/],
  ["/exec security=allowlist ask=on-miss", /ask on-miss.*security allowlist/],
  ["/exec security=full ask=always", /ask always.*security full/],
  ["/status", /Set: .*think medium/],
  ["/model opus", /Model: opus/],
  ["/model anthropic/claude@work", /Model: anthropic\/claude@work/],
  ["/opus", /Model: opus/],
  ["/model 1", /Model: 1/],
  ["/queue collect debounce:2s cap:5 drop:old", /mode collect \(session\), debounce 2 seconds \(session\), cap 5 \(session\), drop old \(session\)/],
  ["/queue steer drop:new", /mode steer \(session\)[\s\S]*drop new \(session\)/],
  ["/queue followup drop=summarize", /mode followup \(session\)[\s\S]*drop summarize \(session\)/],
  ["/queue interrupt debounce=500", /mode interrupt \(session\), debounce 0.5 seconds \(session\)/],
  ["/queue steer-backlog", /mode steer-backlog \(session\)/],
  ["/queue reset", /mode steer \(default\), debounce 0.5 seconds \(default\), cap 20 \(default\), drop summarize \(default\)/],
];
/** Texts with more beside them, which the agent is asked. */
const beside = [
  ["/think high explain tides", "explain tides"],
  ["please /queue collect cap:3 drop:old count the boats", "please count the boats"],
  ["/model opus --session what is new?", "what is new?"],
];

describe("directives in the window", () => {
  let agent;
  let window;
  before(async () => {
    agent = await script([{ agent: [{ text: "I listen." }] }], settings);
    window = await open({ config: agent.config });
  });
  after(async () => {
    await window?.close();
    await agent?.close();
  });

  it("are all tried below, by the program's own list", async () => {
    const { commands, directives } = await documented();
    const known = directives.flatMap(({ names }) => names);
    const strange = (await offered(window.browser)).filter((name) => !known.includes(name) && !commands.includes(name));
    assert.deepEqual(strange, [], "the reference page has what the program offers");
    const texts = [...alone, ...beside].map(([text]) => text);
    const missing = directives.flatMap(({ names: [name, ...others], values }) => [
      ...[name, ...others].filter((one) => !texts.some((text) => holds(` ${text}`, one))),
      ...values.filter((value) => !texts.some((text) => text.includes(`${name} `) && holds(text, value))).map((value) => `${name} ${value}`),
    ]);
    assert.deepEqual(missing, [], "each is written in some text");
  });

  for (const [text, answer] of alone) {
    it(`${text} is answered and its turn says so`, async () => {
      const { browser } = window;
      await isAnswered(browser, text, answer, text === "/status" ? "/status" : "directive ack");
      if (text.startsWith("/queue collect")) await picture(browser, "directives-queue");
    });
  }

  for (const [text, asked] of beside) {
    it(`${text} reaches the agent without its directive`, async () => {
      const { browser } = window;
      const turn = await say(browser, text);
      await shows(browser, "chat", /I listen\./);
      const prompt = await browser.executeAsync(
        (wanted, done) => void window.__TAURI_INTERNALS__.invoke("rpc", { workspace: 0, name: "turn", args: { turn: wanted } }).then(({ prompt }) => done(prompt)),
        turn,
      );
      assert.ok(prompt.trimEnd().endsWith(asked), `the agent is asked ${asked}, not ${prompt.slice(-200)}`);
    });
  }

  it("keeps what --session says, and nothing of what stood beside a text", async () => {
    const { browser } = window;
    await isAnswered(browser, "/model", /Model: opus/, "directive ack");
    await isAnswered(browser, "/queue", /mode steer \(default\)/, "directive ack");
  });
});
