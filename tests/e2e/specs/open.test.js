// Files and links that are opened beside the live bot: turn by turn, with their hold maps, and without a trace in its journal.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { at, command, eventually, exportRecording, gone, go, press, shows, textOf, type, write } from "../harness/page.js";
import { open, picture } from "../harness/window.js";
import { Key } from "webdriverio";

const root = resolve(import.meta.dirname, "../../..");
const foldback = process.env.FOLDBACK_CLI ?? join(root, "target/debug/foldback");
const sample = (name) => join(root, "fixtures/transcripts", name);
const config = `[channels.telegram]\nkind = "loopback"\nallow_from = ["*"]\n`;
let folder;
let window;

/** Runs the command line on the bot of this window. */
async function run(...args) {
  const env = { ...process.env, FOLDBACK_DATA_DIR: window.folder, FOLDBACK_CONFIG: join(window.folder, "foldback.toml") };
  try {
    return { code: 0, ...(await promisify(execFile)(foldback, args, { env })) };
  } catch (error) {
    return { code: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}

const summary = () => shows(window.browser, "summary", /turn/);
const count = () => window.browser.execute(() => document.querySelectorAll('[data-testid="turns"] [role="row"][data-index]').length);

/** Goes through the turn that is open by decision, from its start; answers what the card said on the way. */
async function scrub() {
  const { browser } = window;
  // A turn is asked for as it opens: there is nothing to step through before its answer is there.
  await (await at(browser, "hold-map")).waitForDisplayed();
  await (await at(browser, "to-start")).click();
  const card = () => textOf(browser, "why-card");
  const said = new Set([await card()]);
  for (let step = 0; step < 12; step += 1) {
    const before = await card();
    await press(browser, "]");
    // The card follows once the moment was answered; the last decision has no next.
    await browser.waitUntil(async () => (await card()) !== before, { timeout: 1_000 }).catch(() => undefined);
    said.add(await card());
  }
  return said;
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "foldback-open-"));
  window = await open({ config });
});
after(async () => {
  await window?.close();
  await rm(folder, { recursive: true, force: true });
});

for (const [name, file, raw, turns] of [
  ["a LettaBot log", "lettabot-turns.jsonl", true, 7],
  ["an OpenClaw session", "openclaw-session.jsonl", true, 5],
  ["a Bot Framework transcript", "botframework.transcript", false, 2],
  ["a Telegram export", "telegram-result.json", false, 7],
]) {
  test(`${name} is opened from the command line and looked at turn by turn`, async () => {
    const { browser } = window;
    assert.deepEqual((await run("open", sample(file))).code, 0);
    await shows(browser, "replayed", new RegExp(file.replaceAll(".", "\\.")));
    assert.match(await summary(), raw ? /What would this bot have leaked/ : /delivered text only/);
    assert.match(await textOf(browser, "summary"), /What this format does not hold/);
    if (raw) await picture(browser, `open-summary-${file.split(".")[0]}`);
    await (await at(browser, "summary-done")).click();
    await eventually(browser, async () => (await count()) > 0, "the list of turns");
    assert.match(await textOf(browser, "turns"), new RegExp(`\\b${turns} turns`));
    assert.ok((await browser.execute(() => document.querySelectorAll('[data-testid="turn-replayed"]').length)) > 0);
    for (let turn = 1; turn <= turns; turn += 1) {
      await command(browser, `#${turn}`);
      await shows(browser, "chat-pane", new RegExp(`#${turn}\\b`));
    }
    if (raw) {
      await command(browser, "#1");
      await shows(browser, "chat-pane", /#1\b/);
      assert.ok((await scrub()).size > 2, "the cursor moves");
    }
    await picture(browser, `open-${file.split(".")[0]}`);
  });
}

test("an exported recording plays byte for byte the same in the window", async () => {
  const { browser } = window;
  const out = join(folder, "recorded.jsonl");
  const raw = () => browser.execute(() => document.querySelector('[data-testid="raw-text"]')?.textContent ?? "");
  await run("open", sample("lettabot-turns.jsonl"));
  await (await at(browser, "summary-done")).click();
  await command(browser, "#1");
  await shows(browser, "chat-pane", /#1\b/);
  const chat = await shows(browser, "chat", /\S/);
  const then = await eventually(browser, raw, "the bytes of the turn");
  await command(browser, "Export this turn");
  await exportRecording(browser, out);
  await run("open", out);
  await shows(browser, "replayed", /recorded\.jsonl/);
  assert.doesNotMatch(await summary(), /does something else/);
  await (await at(browser, "summary-done")).click();
  await shows(browser, "chat-pane", /#1\b/);
  await eventually(browser, async () => (await raw()) === then, "the bytes of the recording");
  await eventually(browser, async () => (await textOf(browser, "chat")) === chat, "the chat of the recording");
});

test("a recording imported on another machine plays byte for byte the same there", async () => {
  const recording = join(folder, "recorded.jsonl");
  /** What the first turn shows at its end: each byte with its fate, the chat, and every event in the text of an export. */
  const story = async (browser, out) => {
    await command(browser, "#1");
    await shows(browser, "chat-pane", /#1\b/);
    await (await at(browser, "hold-map")).waitForDisplayed();
    const [raw, map, chat] = await browser.execute(() => ["raw-text", "hold-map", "chat"].map((id) => document.querySelector(`[data-testid="${id}"]`)?.textContent ?? ""));
    await command(browser, "Export this turn");
    await exportRecording(browser, out);
    const events = (await readFile(out, "utf8")).trim().split("\n").slice(1).map((line) => JSON.parse(line)).filter((event) => event.turn !== null);
    return { raw, map, chat, kinds: events.map((event) => event.kind) };
  };
  const here = await story(window.browser, join(folder, "here.jsonl"));
  assert.ok(here.raw.length > 0 && here.kinds.length > 10, `${here.kinds.length} events`);
  // Nothing of the first bot is there: another data folder, another configuration, other channels.
  const other = await open({ config: `[channels.discord]\nkind = "loopback"\nallow_from = ["*"]\n` });
  try {
    const env = { ...process.env, FOLDBACK_DATA_DIR: other.folder, FOLDBACK_CONFIG: join(other.folder, "foldback.toml") };
    await promisify(execFile)(foldback, ["open", recording], { env });
    await shows(other.browser, "replayed", /recorded\.jsonl/);
    assert.doesNotMatch(await shows(other.browser, "summary", /turn/), /does something else/);
    await (await at(other.browser, "summary-done")).click();
    assert.deepEqual(await story(other.browser, join(other.folder, "there.jsonl")), here);
    await picture(other.browser, "open-elsewhere");
  } finally {
    await other.close();
  }
});

test("an example is opened from the Fixtures view", async () => {
  const { browser } = window;
  await (await at(browser, "to-live")).click();
  await gone(browser, "replayed");
  await go(browser, "fixtures");
  await (await at(browser, "fixtures-example")).click();
  const examples = await at(browser, "open-examples");
  await examples.waitForDisplayed();
  const names = await examples.$$("button").map((button) => button.getText());
  for (const name of ["lettabot-turns.jsonl", "slack-export", "demo.jsonl"]) assert.ok(names.includes(name), names.join());
  await picture(browser, "open-examples");
  await (await examples.$("button=demo.jsonl")).click();
  await shows(browser, "replayed", /demo\.jsonl/);
  assert.doesNotMatch(await summary(), /does something else/);
  await (await at(browser, "summary-done")).click();
  assert.ok((await scrub()).size > 2, "the cursor moves");
});

test("a fixture's run opens as a turn with its hold map", async () => {
  const { browser } = window;
  await (await at(browser, "to-live")).click();
  await gone(browser, "replayed");
  await go(browser, "fixtures");
  await (await browser.$('[role="row"][data-path]')).click();
  await (await at(browser, "fixture-turn")).click();
  await shows(browser, "replayed", / on /);
  await shows(browser, "chat-pane", /#1\b/);
  assert.ok((await scrub()).size > 1);
  await picture(browser, "open-fixture");
});

test("bad input gets one sentence, and the journal stays as it was", async () => {
  const { browser } = window;
  const stats = async () => (await run("journal", "query", "--format", "json")).stdout;
  const before = await stats();
  const large = join(folder, "large.jsonl");
  await writeFile(large, "");
  await truncate(large, 2_000_000_000);
  const other = join(folder, "other.log");
  await writeFile(other, "Nov 27 09:00:00 host sshd[1]: a secret\n");
  const newer = join(folder, "newer.jsonl");
  await writeFile(newer, '{"foldback":"recording","version":9}\n');
  const whole = await readFile(join(folder, "recorded.jsonl"));
  const cut = join(folder, "cut.jsonl");
  await writeFile(cut, whole.subarray(0, whole.length - 40));
  const short = join(folder, "short.jsonl");
  const lines = whole.toString().split("\n");
  await writeFile(short, `${lines.slice(0, -3).join("\n")}\n`);
  for (const [file, said] of [
    [short, /short\.jsonl is not opened: the recording is cut off, it has \d+ of \d+ events; export it again/],
    [large, /large\.jsonl is not opened: it is larger than 256 MB/],
    [other, /other\.log is not opened: it is no recording, fixture or transcript/],
    [newer, /newer\.jsonl is not opened: the recording has version 9/],
    [cut, /cut\.jsonl is not opened: the recording is damaged at line \d+/],
  ]) {
    await run("open", file);
    const told = () => browser.execute(() => [...document.querySelectorAll('[data-testid="toast"]')].map((toast) => toast.innerText).join("\n"));
    await eventually(browser, async () => said.test(await told()), String(said));
    assert.doesNotMatch(await told(), /a secret/);
  }
  await picture(browser, "open-refused");
  assert.equal(await stats(), before);
});

test("a link leads to a moment, and a bad one gets one sentence", async () => {
  const { browser } = window;
  await (await at(browser, "to-live")).click();
  await go(browser, "compose");
  await write(browser, "compose-output", "Sent from the window");
  await (await at(browser, "compose-send")).click();
  await go(browser, "turn");
  await shows(browser, "chat-pane", /#1\b/);
  assert.equal((await run("open", "foldback://turn/1@+3ms")).code, 0);
  await shows(browser, "clock", /\d/);
  await press(browser, Key.Ctrl, "o");
  await (await at(browser, "open-target")).waitForDisplayed();
  await (await at(browser, "open-target")).click();
  await type(browser, "foldback://turn/ten");
  await press(browser, Key.Enter);
  await shows(browser, "open-failure", /This is no link to a turn/);
  const bad = await run("open", "foldback://turn/1@631");
  assert.equal(bad.code, 2);
  assert.match(bad.stderr, /The moment in this link cannot be read/);
});

test("pictures in the dark theme", async () => {
  const { browser } = window;
  await press(browser, Key.Escape);
  await command(browser, "Theme: dark");
  await run("open", sample("openclaw-session.jsonl"));
  await summary();
  await picture(browser, "open-summary-dark");
  await (await at(browser, "summary-done")).click();
  await shows(browser, "chat-pane", /#/);
  await picture(browser, "open-turns-dark");
});
