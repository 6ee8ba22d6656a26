// What `foldback export` and `foldback report` write opens in a browser without a server, and its scrubber moves.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { openFile } from "../harness/browser.js";
import { picture } from "../harness/window.js";

const foldback = process.env.FOLDBACK_CLI ?? resolve(import.meta.dirname, "../../../target/debug/foldback");
const KEY = "sk-abcdefghijkl1234567890";
const config = `[redact]\nenabled = false\n[channels.telegram]\nkind = "loopback"\nallow_from = ["*"]\n`;
let folder;

/** Runs foldback on the journal of this test. */
async function run(...args) {
  const env = { ...process.env, FOLDBACK_DATA_DIR: join(folder, "data"), FOLDBACK_CONFIG: join(folder, "foldback.toml") };
  return (await promisify(execFile)(foldback, args, { env })).stdout;
}

async function say(text, answer) {
  const file = join(folder, "answer.txt");
  await writeFile(file, answer);
  await run("send", "--channel", "telegram", "--text", text, "--agent-output", file);
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "foldback-export-"));
  await writeFile(join(folder, "foldback.toml"), config);
  await say("How was <b>my</b> talk?", `<actions><react emoji="thumbsup"/></actions>\nGreat idea! The key is ${KEY}. </script><img src=x>`);
  await say("And now?", "Well done.");
});
after(() => rm(folder, { recursive: true, force: true }));

test("a session opens from a file: the scrubber moves map, chat and decision, nothing is loaded, no secret is in it", async () => {
  const file = join(folder, "session.html");
  const session = JSON.parse((await run("journal", "query", "--where", "turn:1 kind:prepared", "--format", "json")).split("\n")[0]).session;
  await run("export", "--session", session, "--format", "html", "-o", file);
  assert.ok(!(await readFile(file, "utf8")).includes("abcdefghijkl"));
  let asked = 0;
  const server = createServer((_, answer) => { asked += 1; answer.setHeader("Access-Control-Allow-Origin", "*"); answer.end("x"); });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { browser, close } = await openFile(file);
  try {
    await (await browser.$("#turn-1 .map")).waitForDisplayed();
    const state = () => browser.execute(() => {
      const turn = document.querySelector("#turn-1");
      return ["clock", "decision", "chat", "map"].map((part) => turn.querySelector(`.${part}`)?.textContent ?? "");
    });
    const atEnd = await state();
    assert.match(atEnd[2], /Great idea!/);
    // Each byte of the agent's output stands in the map once, with what became of it.
    const raw = `<actions><react emoji="thumbsup"/></actions>\nGreat idea! The key is #${"*".repeat(KEY.length - 1)}. </script><img src=x>`;
    assert.equal(atEnd[3], raw);
    const fates = await browser.execute(() => [...document.querySelectorAll("#turn-1 .map span")].map((run) => [run.classList[0], run.textContent]));
    assert.deepEqual(fates[0], ["strip", raw.split("\n")[0]]);
    assert.equal(await browser.execute(() => document.querySelectorAll("img, main script, main b").length), 0);
    await (await browser.$("#turn-1 input[type=range]")).click();
    await browser.keys(["Home"]);
    const atStart = await state();
    assert.match(atStart[0], /^1\//);
    assert.doesNotMatch(atStart[2], /Great idea!/);
    assert.notEqual(atStart[1], atEnd[1]);
    const seen = new Set();
    for (let step = 0; step < 400; step += 1) {
      const [clock] = await state();
      if (seen.has(clock)) break;
      seen.add(clock);
      const [, , , map] = await state();
      if (map !== "") assert.equal(map, raw, `the map at ${clock}`);
      await browser.keys(["]"]);
    }
    assert.deepEqual(await state(), atEnd);
    assert.ok(seen.size > 10, `${seen.size} steps`);
    await picture(browser, "export-session");
    const loaded = await browser.executeAsync((port, done) => {
      fetch(`http://127.0.0.1:${port}/`).then(() => done("loaded"), () => done("refused"));
    }, server.address().port);
    assert.deepEqual([loaded, asked], ["refused", 0]);
  } finally {
    await close();
    server.close();
  }
});

test("a shift report opens from a file and shows its tables", async () => {
  const file = join(folder, "report.html");
  await run("report", "--since", "1h", "--format", "html", "-o", file);
  const { browser, close } = await openFile(file);
  try {
    await (await browser.$("table")).waitForDisplayed();
    const rows = await browser.execute(() => [...document.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent).join("|")));
    assert.ok(rows.some((row) => row.startsWith("telegram|2|1|2|")), rows.join("\n"));
    await picture(browser, "shift-report");
  } finally {
    await close();
  }
});
