// `foldback serve --web-chat` in a real browser: an answer streams, a reaction shows, a file arrives; a reload keeps the
// conversation, a restart is waited for, and another site shows the page in a frame.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { openPage } from "../harness/browser.js";
import { end, freePort, start, until } from "../harness/processes.js";
import { script } from "../harness/script.js";
import { answers, picture } from "../harness/window.js";

const foldback = process.env.FOLDBACK_CLI ?? resolve(import.meta.dirname, "../../../target/debug/foldback");
let folder;
const bots = new Set();

/** A bot with a page at a port; the demonstration answers unless a configuration says otherwise. */
async function serve(port, data, config) {
  const env = { ...process.env, FOLDBACK_DATA_DIR: join(folder, data) };
  delete env.FOLDBACK_CONFIG;
  if (config !== undefined) {
    env.FOLDBACK_CONFIG = join(folder, `${data}.toml`);
    await writeFile(env.FOLDBACK_CONFIG, config);
  }
  const bot = start(foldback, ["serve", "--web-chat", `127.0.0.1:${port}`], { env });
  bots.add(bot);
  await until(() => {
    if (bot.exitCode !== null) throw new Error(`the bot ended: ${bot.output}`);
    return answers(port);
  }, `the page: ${bot.output}`);
  return bot;
}
async function stop(bot) {
  await end(bot);
  bots.delete(bot);
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "foldback-web-chat-"));
});
after(async () => {
  for (const bot of bots) await end(bot);
  await rm(folder, { recursive: true, force: true });
});

/** What a page shows: the state, and each message's author, words and reactions. */
const shown = (browser) => browser.execute(() => ({
  state: document.querySelector("#state").textContent,
  problem: document.querySelector("#problem:not([hidden])")?.textContent ?? "",
  messages: [...document.querySelectorAll(".message[data-id], .message.waiting")].map((message) => ({
    from: message.classList.contains("bot") ? "bot" : "visitor",
    words: message.querySelector(".words")?.textContent ?? "",
    reactions: [...message.querySelectorAll(".reactions button")].map((button) => button.textContent),
    files: [...message.querySelectorAll(".files img, .files audio, .files .file")].map((file) => file.tagName),
    note: message.querySelector(".meta")?.textContent ?? "",
  })),
}));

async function shows(browser, fits, what, tries = 200) {
  let last;
  await until(async () => fits((last = await shown(browser))), what, tries).catch((error) => {
    throw new Error(`${error.message}: ${JSON.stringify(last, null, 1)}`);
  });
  return last;
}

async function type(browser, text) {
  const field = await browser.$("#text");
  await field.setValue(text);
  await (await browser.$("#send")).click();
}

const connected = (browser) => shows(browser, ({ state }) => state === "Connected", "a connection");

async function visit(address, use) {
  const { browser, close } = await openPage(address);
  try {
    await connected(browser);
    await use(browser);
  } finally {
    await close();
  }
}

test("an answer streams, a reaction shows, and a file arrives, in light and in dark", async () => {
  const port = await freePort();
  const bot = await serve(port, "demo");
  const theme = process.env.GTK_THEME;
  for (const scheme of ["light", "dark"]) {
    process.env.GTK_THEME = scheme === "dark" ? "Adwaita:dark" : "Adwaita";
    await visit(`http://127.0.0.1:${port}/`, async (browser) => {
      await browser.setWindowSize(480, 760);
      assert.equal(await browser.execute(() => matchMedia("(prefers-color-scheme: dark)").matches), scheme === "dark");
      // What each moment showed, while the answer came.
      await browser.execute(() => {
        window.seen = [];
        new MutationObserver(() => {
          const words = [...document.querySelectorAll(".message.bot .words")].at(-1)?.textContent ?? "";
          if (words !== window.seen.at(-1)) window.seen.push(words);
        }).observe(document.querySelector("#messages"), { childList: true, subtree: true, characterData: true });
      });
      await type(browser, "hello");
      const { messages } = await shows(browser, ({ messages }) => /what each channel makes of it\.$/.test(messages.at(-1)?.words), "the whole answer");
      assert.deepEqual(messages.map(({ from }) => from), ["visitor", "bot"]);
      assert.deepEqual(messages[0].reactions, ["👋"], "the bot reacts to the message");
      assert.match(messages[1].words, /^Hello, Visitor [0-9a-f]{4}! Type reply, file/);
      const seen = (await browser.execute(() => window.seen)).filter((words) => words !== "");
      assert.ok(seen.length >= 2, `it streams: ${JSON.stringify(seen)}`);
      assert.ok(seen.every((words, index) => index === 0 || words.startsWith(seen[index - 1])), `it only grows: ${JSON.stringify(seen)}`);
      assert.ok(!seen.some((words) => words.includes("<")), "nothing of a directive flashes");

      await type(browser, "file");
      await shows(browser, ({ messages }) => messages.some(({ files }) => files.includes("IMG")), "the picture");
      const drawn = () => browser.execute(() => document.querySelector(".files img").naturalWidth > 0);
      await until(drawn, "the picture's bytes");
      await shows(browser, ({ messages }) => messages.some(({ words }) => words.includes("Here is the route.")), "the words beside it");
      await type(browser, "code");
      await shows(browser, ({ messages }) => /so it is text\.$/.test(messages.at(-1)?.words), "code");
      assert.equal(await browser.execute(() => [...document.querySelectorAll("pre code")].at(-1).textContent), "<actions>\n  <react emoji=\"heart\" />\n</actions>");
      await type(browser, "reply");
      await shows(browser, ({ messages }) => messages.at(-1)?.words.startsWith("replyThis answers") || /^This answers/.test(messages.at(-1)?.words), "a reply");
      assert.equal(await browser.execute(() => [...document.querySelectorAll(".message.bot .quote")].at(-1)?.textContent), "reply");
      await picture(browser, `web-chat-${scheme}`);
    });
  }
  if (theme === undefined) delete process.env.GTK_THEME;
  else process.env.GTK_THEME = theme;
  await stop(bot);
});

test("a visitor reacts, answers a message, sends a file, and finds all of it after a reload", async () => {
  const port = await freePort();
  const rules = [{ when: { contains: "file" }, agent: ["I have your file."] }, { agent: ["Which **one**?"] }];
  const own = await script(rules, "", "[channels.web_chat]\nkind = \"web_chat\"\nlisten = \"127.0.0.1:1\"\narmed = true\nallow_from = [\"*\"]\n");
  const bot = await serve(port, "reload", own.config);
  await visit(`http://127.0.0.1:${port}/`, async (browser) => {
    await browser.setWindowSize(480, 760);
    await type(browser, "shall we?");
    await shows(browser, ({ messages }) => messages.at(-1)?.words === "Which one?", "the answer");
    // By keyboard: the buttons of a message are reached by Tab, and visible then.
    await browser.execute(() => document.querySelector(".message.bot .tools button").focus());
    assert.equal(await browser.execute(() => getComputedStyle(document.querySelector(".message.bot .tools")).opacity > 0.05 || document.activeElement.getAttribute("aria-label")), "React with 👍");
    await browser.keys(["Enter"]);
    await shows(browser, ({ messages }) => messages.at(-1)?.reactions.includes("👍"), "the reaction");
    assert.equal(await browser.execute(() => document.querySelector(".message.bot .reactions button").getAttribute("aria-pressed")), "true");
    await browser.execute(() => [...document.querySelectorAll(".message.bot .tools button")].at(-1).click());
    assert.match(await browser.execute(() => document.querySelector("#answering:not([hidden]) p").textContent), /^Answer to: Which/);
    await picture(browser, "web-chat-answering");
    await browser.execute(() => {
      const files = new DataTransfer();
      files.items.add(new File(["words"], "plan b.txt", { type: "text/plain" }));
      const input = document.querySelector("#files");
      input.files = files.files;
      input.dispatchEvent(new Event("change"));
    });
    assert.match(await browser.execute(() => document.querySelector("#chosen:not([hidden])").textContent), /plan b\.txt \(5 B\)/);
    await type(browser, "this file");
    await shows(browser, ({ messages }) => messages.at(-1)?.words === "I have your file.", "an answer to the file");
    await browser.refresh();
    const { messages } = await shows(browser, ({ messages }) => messages.length === 4, "the conversation after a reload");
    assert.deepEqual(messages.map(({ from, words }) => [from, words]), [["visitor", "shall we?"], ["bot", "Which one?"], ["visitor", "this file"], ["bot", "I have your file."]]);
    assert.deepEqual([messages[1].reactions, messages[2].files], [["👍"], ["A"]]);
    assert.match(await browser.execute(() => document.querySelector(".message.visitor .quote").textContent), /Which/);
  });
  await stop(bot);
  await own.close();
});

test("a bot that is away is waited for, and what was not sent says so", async () => {
  const port = await freePort();
  let bot = await serve(port, "away");
  await visit(`http://127.0.0.1:${port}/`, async (browser) => {
    await browser.setWindowSize(480, 760);
    await type(browser, "hello");
    await shows(browser, ({ messages }) => /makes of it\.$/.test(messages.at(-1)?.words), "the answer");
    await stop(bot);
    await shows(browser, ({ state }) => /lost|Connecting/.test(state), "that the connection is lost");
    await type(browser, "silence, please");
    await shows(browser, ({ messages }) => /^Not sent: the chat cannot be reached\./.test(messages.at(-1)?.note), "that it was not sent", 400);
    await picture(browser, "web-chat-away");
    bot = await serve(port, "away");
    await connected(browser);
    const again = await shown(browser);
    assert.deepEqual(again.messages.map(({ from }) => from), ["visitor", "bot", "visitor"], "the conversation is still there");
    await browser.execute(() => document.querySelector(".waiting .meta button").click());
    await shows(browser, ({ messages }) => messages.at(-1)?.words === "silence, please" && messages.at(-1).note === "", "that it was sent");
  });
  await stop(bot);
});

test("what an answer says is words, whatever it looks like", async () => {
  const port = await freePort();
  const hostile = [
    "<img src=x onerror=\"window.hacked = 1\"> <script>window.hacked = 1</script>",
    "[click](javascript:window.hacked=1) [data](data:text/html,<script>1</script>) ![x](https://example.org/a.png)",
    "**bold <b>not</b>** `<i>code</i>` <https://example.org/?a=\"><script>>",
    "[fine](https://example.org/a?b=1&c=2) and https://example.org/x.",
  ].join("\n\n");
  const own = await script([{ agent: [hostile] }], "", "[channels.web_chat]\nkind = \"web_chat\"\nlisten = \"127.0.0.1:1\"\narmed = true\nallow_from = [\"*\"]\n");
  const bot = await serve(port, "hostile", own.config);
  await visit(`http://127.0.0.1:${port}/`, async (browser) => {
    await type(browser, "<img src=x onerror=window.hacked=1>");
    await shows(browser, ({ messages }) => messages.length >= 2 && /and https:\/\/example\.org\/x\.$/.test(messages.at(-1).words), "the answer");
    const found = await browser.execute(() => ({
      hacked: window.hacked ?? null,
      names: [...new Set([...document.querySelectorAll("#messages .words *")].map((element) => element.localName))].sort(),
      links: [...document.querySelectorAll("#messages a")].map((link) => [link.href, link.rel, link.target]),
      own: document.querySelector(".message.visitor .words").textContent,
    }));
    assert.equal(found.hacked, null);
    assert.deepEqual(found.names.filter((name) => !["p", "br", "a", "strong", "code"].includes(name)), []);
    assert.ok(found.links.every(([href, rel, target]) => href.startsWith("https://example.org/") && rel === "noopener noreferrer nofollow" && target === "_blank"), JSON.stringify(found.links));
    assert.equal(found.own, "<img src=x onerror=window.hacked=1>");
  });
  await stop(bot);
  await own.close();
});

test("another site shows the page in a panel, where it is listed, and not where it is not", async () => {
  const port = await freePort();
  const page = `<!doctype html><title>A site</title><h1>A site</h1><p>Words of the site.</p><script src="http://localhost:${port}/foldback.js" data-title="Ask us" async></script>`;
  const site = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(page));
  await new Promise((done) => site.listen(0, "127.0.0.1", done));
  const origin = `http://localhost:${site.address().port}`;
  const own = await script([{ agent: ["Hello from the frame."] }], "", `[channels.web_chat]\nkind = "web_chat"\nlisten = "127.0.0.1:1"\norigins = ["${origin}"]\narmed = true\nallow_from = ["*"]\n`);
  const bot = await serve(port, "site", own.config);
  const { browser, close } = await openPage(origin);
  try {
    await until(() => browser.execute(() => document.querySelector("button[aria-expanded]") !== null), "the button");
    await browser.execute(() => document.querySelector("button[aria-expanded]").click());
    await browser.switchFrame(await browser.$("iframe"));
    await connected(browser);
    // The driver takes a field in a frame for one that has no focus.
    await browser.execute(() => {
      const field = document.querySelector("#text");
      field.value = "hi";
      field.dispatchEvent(new Event("input"));
      document.querySelector("#send").click();
    });
    await shows(browser, ({ messages }) => messages.at(-1)?.words === "Hello from the frame.", "the answer in the frame");
    await browser.switchFrame(null);
    await picture(browser, "web-chat-site");
    await browser.execute(() => window.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" })));
    assert.equal(await browser.execute(() => document.querySelector("button[aria-expanded]").getAttribute("aria-expanded")), "false");
    // The same site under a name that is not listed has an empty frame.
    await browser.url(origin.replace("localhost", "127.0.0.1"));
    await until(() => browser.execute(() => document.querySelector("button[aria-expanded]") !== null), "the button");
    await browser.execute(() => document.querySelector("button[aria-expanded]").click());
    await new Promise((done) => setTimeout(done, 1500));
    const inside = await browser.switchFrame(await browser.$("iframe")).then(() => browser.execute(() => document.querySelector("#state") !== null), () => false);
    assert.equal(inside, false);
  } finally {
    await close();
    site.close();
    await stop(bot);
    await own.close();
  }
});
