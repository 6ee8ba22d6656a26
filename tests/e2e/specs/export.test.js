// What `foldback export` and `foldback report` write opens in a browser without a server, and its scrubber moves.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { engines, openFile } from "../harness/browser.js";
import { picture } from "../harness/window.js";
import { Key } from "webdriverio";

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

/** A page's session, exported to a file in which no secret is. */
async function session() {
  const file = join(folder, "session.html");
  const { session } = JSON.parse((await run("journal", "query", "--where", "turn:1 kind:prepared", "--format", "json")).split("\n")[0]);
  await run("export", "--session", session, "--format", "html", "-o", file);
  const page = await readFile(file, "utf8");
  for (const secret of [KEY, KEY.slice(3), KEY.slice(3, 15), Buffer.from(KEY).toString("base64").slice(4, 24)]) assert.ok(!page.includes(secret), secret);
  return file;
}

// Each byte of the agent's output stands in the map once, with what became of it.
const raw = `<actions><react emoji="thumbsup"/></actions>\nGreat idea! The key is #${"*".repeat(KEY.length - 1)}. </script><img src=x>`;

for (const engine of engines) {
  /** Opens the session; `state` is what the first turn shows. */
  const opened = async (use) => {
    const { browser, close } = await openFile(await session(), engine);
    try {
      await (await browser.$("#turn-1 .map")).waitForDisplayed();
      const state = () => browser.execute(() => {
        const turn = document.querySelector("#turn-1");
        return ["clock", "decision", "chat", "map"].map((part) => turn.querySelector(`.${part}`)?.textContent ?? "");
      });
      await use(browser, state);
    } finally {
      await close();
    }
  };

  test(`a session opens from a file in ${engine.name}: nothing is loaded, no secret is in it`, async () => {
    let asked = 0;
    const server = createServer((_, answer) => { asked += 1; answer.setHeader("Access-Control-Allow-Origin", "*"); answer.end("x"); });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    try {
      await opened(async (browser, state) => {
        const [, , chat, map] = await state();
        assert.match(chat, /Great idea!/);
        assert.equal(map, raw);
        const fates = await browser.execute(() => [...document.querySelectorAll("#turn-1 .map span")].map((run) => [run.classList[0], run.textContent]));
        assert.deepEqual(fates[0], ["strip", raw.split("\n")[0]]);
        assert.equal(await browser.execute(() => document.querySelectorAll("img, main script, main b").length), 0);
        assert.ok(!(await browser.execute(() => document.documentElement.outerHTML)).includes(KEY.slice(3, 15)));
        const loaded = await browser.executeAsync((port, done) => {
          fetch(`http://127.0.0.1:${port}/`).then(() => done("loaded"), () => done("refused"));
        }, server.address().port);
        assert.deepEqual([loaded, asked], ["refused", 0]);
        assert.deepEqual(await browser.execute(() => performance.getEntriesByType("resource").map((entry) => entry.name)), []);
      });
    } finally {
      server.close();
    }
  });

  test(`the scrubber of a file in ${engine.name} moves map, chat and decision by keyboard and by mouse`, async () => {
    await opened(async (browser, state) => {
      const atEnd = await state();
      const slider = await browser.$("#turn-1 input[type=range]");
      const { width } = await slider.getSize();
      const steps = Number(await slider.getProperty("max")) + 1;
      // By mouse: a click leads to the middle, a drag from there to the start, through what is between.
      await slider.click();
      const middle = Number((await state())[0].split("/")[0]);
      assert.ok(middle > 1 && middle < steps, `${middle} of ${steps}`);
      await picture(browser, `export-scrubbed-${engine.name.toLowerCase()}`);
      await browser.execute(() => {
        globalThis.passed = [];
        document.querySelector("#turn-1 input[type=range]").addEventListener("input", (event) => globalThis.passed.push(Number(event.target.value)));
      });
      const drag = browser.action("pointer").move({ origin: slider }).down();
      for (const part of [4, 3, 2]) drag.move({ origin: slider, x: -Math.floor(width / part) });
      await drag.up().perform();
      const passed = await browser.execute(() => globalThis.passed);
      assert.ok(passed.length >= 3 && passed.every((value, n) => n === 0 || value < passed[n - 1]), passed.join());
      const atStart = await state();
      assert.match(atStart[0], /^1\//);
      assert.doesNotMatch(atStart[2], /Great idea!/);
      assert.notEqual(atStart[1], atEnd[1]);
      // By keyboard: the slider's own keys, and those that step by decision.
      await browser.keys([Key.ArrowRight]);
      assert.match((await state())[0], /^2\//);
      await browser.keys([Key.End]);
      assert.deepEqual(await state(), atEnd);
      await browser.keys([Key.Home]);
      assert.deepEqual(await state(), atStart);
      const seen = new Set();
      while (seen.size < 400) {
        const [clock, , , map] = await state();
        if (seen.has(clock)) break;
        seen.add(clock);
        if (map !== "") assert.equal(map, raw, `the map at ${clock}`);
        await browser.keys(["]"]);
      }
      assert.deepEqual(await state(), atEnd);
      assert.equal(seen.size, steps);
      await picture(browser, `export-session-${engine.name.toLowerCase()}`);
      // A click on a decision of the list moves it, too, and the page stays where it is.
      await (await browser.$("#turn-1 summary")).click();
      const places = () => browser.execute(() => [scrollY, document.querySelector("#turn-1 ol").scrollTop]);
      const first = await browser.$("#turn-1 ol li button");
      await first.click();
      assert.deepEqual(await state(), atStart);
      await slider.click();
      const [before] = await places();
      await browser.keys([Key.End]);
      const [stands, list] = await places();
      assert.ok(list > 0, "the list shows the decision");
      assert.deepEqual([stands, await state()], [before, atEnd]);
    });
  });
}

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
