// Commands of users, as their turns look in the window: every one that the program has, and those of the configuration.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, readlink, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { at, command, eventually, go, gone, press, shows, textOf, type, write } from "../harness/page.js";
import { until } from "../harness/processes.js";
import { script } from "../harness/script.js";
import { documented, endsAs, isAnswered, newest, offered, openBeside, say } from "../harness/typed.js";
import { open, picture } from "../harness/window.js";

const settings = `
[commands]
owner_allow_from = ["*"]
inline = true
bash = true
restart = true

[commands.custom.standup]
about = "Asks for the standup."
prompt = "Write my standup about {{args}}."

[commands.custom.deploy]
run = ["printf", "Deployed %s.", "{{1}}"]

[agent.permissions]
in_chat = true

[speech]
backend = "tone"
`;
const options = [{ id: "yes", name: "Go ahead", kind: "allow_once" }, { id: "no", name: "Leave it", kind: "reject_once" }];
const rules = [
  { when: { contains: "my standup about tests" }, agent: [{ text: "The standup is written." }] },
  { when: { contains: "tidy" }, agent: [{ permission: { id: "p1", title: "rm -r build", does: "execute", options, allowed: ["Deleted."], rejected: ["Then I leave it."] } }] },
  { agent: [{ text: "I listen." }] },
];

/** Commands with what they are answered. */
const answered = [
  ["/help", /These commands are answered here/],
  ["/commands", /\/standup[\s\S]*Directives count for one message/],
  ["/status", /Agent: script/],
  ["/whoami", /You own this bot/],
  ["/id", /Your id/, "/whoami"],
  ["stop", /Nothing runs here/, "/stop"],
  ["/stop", /Nothing runs here/],
  ["/context", /The agent was not asked anything/],
  ["/models", /script answers with/],
  ["/activation always", /Activation is for groups/],
  ["/send default", /Send: default/],
  ["/usage", /Line under answers: default/],
  ["/usage tokens", /Usage line: tokens/],
  ["/session", /Conversation .*of this chat[\s\S]*usage tokens \(session\)/],
  ["/export", /Nothing was said in this conversation yet/],
  ["/compact", /cannot be compacted here|nothing to summarise/],
  ["/subagents", /script does not tell of agents/],
  ["/tts", /This bot speaks with tone\.[\s\S]*Spoken: tagged \(default\)/],
  ["/tts inbound", /Speech: inbound/],
  ["/tts good evening", /good evening/],
  ["/allowlist", /Who may write on telegram/],
  ["/config show commands.bash", /commands\.bash = true/],
  ["/debug", /journal at event/],
  ["/reminders", /There are no reminders/],
  ["/reminder", /There are no reminders/, "/reminders"],
  ["/bash echo hi | tr a-z A-Z", /HI/],
  ["/new", /A new conversation begins/],
  ["/reset", /A new conversation begins/, "/new"],
  ["[[whoami]]", /You own this bot/, "/whoami"],
];
/** Those that have a test of their own below. */
const own = ["/approve", "/deny", "/standup", "/deploy", "/restart"];

describe("commands in the window", () => {
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

  it("are all tried below, by the program's own list", async () => {
    const { commands, directives } = await documented();
    const ofDirectives = directives.flatMap(({ names }) => names);
    const names = [...(await offered(window.browser)), ...commands].filter((name) => !ofDirectives.includes(name) || commands.includes(name));
    const tried = new Set([...answered.map(([text]) => text.split(" ")[0]), ...own]);
    assert.deepEqual([...new Set(names)].filter((name) => !tried.has(name)), []);
    assert.ok(names.length >= 26, `${names.length} commands`);
  });

  it("are offered while one writes, and taken by keyboard alone", async () => {
    const { browser } = window;
    await go(browser, "compose");
    for (const theme of ["dark", "light"]) {
      await command(browser, `theme: ${theme}`);
      await write(browser, "compose-user", "/st");
      await shows(browser, "compose-commands", /\/standup\s*Asks for the standup\.[\s\S]*\/status[\s\S]*\/stop/);
      await picture(browser, `commands-offered-${theme}`);
    }
    await write(browser, "compose-user", "/st");
    await press(browser, Key.ArrowDown);
    await press(browser, Key.ArrowDown);
    await press(browser, Key.Tab);
    await shows(browser, "compose-user", /\/stop\b/);
    await write(browser, "compose-user", "please /wh");
    await shows(browser, "compose-commands", /\/whoami/);
    await press(browser, Key.Tab);
    await gone(browser, "compose-commands");
    await type(browser, "now");
    await shows(browser, "compose-user", /please \/whoami now/);
  });

  for (const [text, answer, ending = text.split(" ")[0]] of answered) {
    it(`${text} is answered and its turn says so`, async () => {
      const { browser } = window;
      await isAnswered(browser, text, answer, ending);
      if (text === "/commands") await picture(browser, "commands-list");
      if (text === "/tts") await picture(browser, "commands-tts");
    });
  }

  it("of the configuration ask the agent, or have a program answer", async () => {
    const { browser } = window;
    await say(browser, "/standup tests");
    await shows(browser, "chat", /The standup is written\./);
    await isAnswered(browser, "/deploy staging", /Deployed staging\./, "/deploy");
  });

  it("that only tell something stand beside a text, and the agent is asked the rest", async () => {
    const { browser } = window;
    for (const [text, ending, answer] of [
      ["Sum it up\n[[usage]]", "/usage", /Line under answers/],
      ["and what is the /status here", "/status", /Agent: script/],
    ]) {
      const turn = await say(browser, text);
      await shows(browser, "chat", /I listen\./);
      await openBeside(browser, turn, ending);
      await shows(browser, "chat", answer);
    }
    await picture(browser, "commands-beside");
  });

  it("send the conversation as a file once something was said", async () => {
    await isAnswered(window.browser, "/export", /conversation-\d+\.md/, "/export");
  });

  for (const [word, done] of [["approve", /Deleted\./], ["deny", /Then I leave it\./]]) {
    it(`/${word} decides what the agent asked, by its number`, async () => {
      const { browser } = window;
      const asked = await say(browser, "tidy up");
      const chat = await shows(browser, "chat", /The agent asks for your permission/);
      const [, number] = /\/approve (\d+-\d+)/.exec(chat);
      await isAnswered(browser, `/${word} ${number}`, null, `/${word}`);
      await command(browser, `#${asked}`);
      await shows(browser, "chat", done);
      const none = await say(browser, `/${word} ${number}`);
      await endsAs(browser, none, "nothing asked");
    });
  }
});

/** Processes of the window that keep their data in this folder. */
async function windowsOf(folder) {
  const numbers = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    numbers.map(async (pid) => {
      try {
        const [program, environment] = await Promise.all([readlink(`/proc/${pid}/exe`), readFile(`/proc/${pid}/environ`, "latin1")]);
        return /foldback-desktop/.test(program) && environment.split("\0").includes(`FOLDBACK_DATA_DIR=${folder}`) ? [Number(pid)] : [];
      } catch {
        // It ended meanwhile, or is somebody else's.
        return [];
      }
    }),
  );
  return found.flat();
}

describe("/restart in the window", () => {
  let agent;
  let data;
  before(async () => {
    agent = await script(rules, settings);
    data = await mkdtemp(join(tmpdir(), "foldback-restart-"));
  });
  after(async () => {
    await agent?.close();
    await rm(data, { recursive: true, force: true });
  });

  it("ends the program in order and begins it anew, with the answer delivered", async () => {
    const window = await open({ config: agent.config, data });
    let turn;
    try {
      const { browser } = window;
      const before = await windowsOf(data);
      assert.equal(before.length, 1);
      turn = (await newest(browser)) + 1;
      await go(browser, "compose");
      await write(browser, "compose-user", "/restart");
      await (await at(browser, "answers-agent")).click();
      const asked = Date.now();
      // The window is gone before the driver could answer more.
      await press(browser, Key.Ctrl, Key.Enter).catch(() => {});
      const now = await until(async () => windowsOf(data).then((pids) => pids.length === 1 && !before.includes(pids[0]) && pids), "a new process");
      // Its bot hears orders: it is there, and has said so in the journal.
      const heard = async () => {
        const names = (await readdir(data)).filter((name) => name.endsWith(".sock"));
        const made = await Promise.all(names.map(async (name) => (await stat(join(data, name))).mtimeMs));
        // Not what the process before left there.
        return made.some((at) => at > asked);
      };
      await until(() => heard().catch(() => false), "its bot");
      process.kill(now[0], "SIGTERM");
      await until(async () => (await windowsOf(data)).length === 0, "the new process to end");
    } finally {
      await window.close();
    }
    const again = await open({ config: agent.config, data });
    try {
      const { browser } = again;
      await go(browser, "turn");
      await command(browser, `#${turn}`);
      await shows(browser, "chat", /The bot ends in order and starts again\./);
      await go(browser, "live");
      await (await at(browser, "filter")).setValue("kind:started");
      await shows(browser, "event-count", /\b3 events\b/);
      assert.doesNotMatch(await textOf(browser, "events"), /unknown/);
      await eventually(browser, async () => (await windowsOf(data)).length === 1, "one program");
    } finally {
      await again.close();
    }
  });
});
