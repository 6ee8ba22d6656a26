import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { loudmouth } from "../harness/loudmouth.js";
import { at, dismiss, go, press, shows, write } from "../harness/page.js";
import { freePort } from "../harness/processes.js";
import { open, picture } from "../harness/window.js";

/**
 * Each as its platform writes them, and like no example that the settings show. Those of the first list go out with
 * calls; the others only prove who calls.
 */
const TOLD = {
  E2E_TELEGRAM: "700001:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
  E2E_DISCORD: "NzAwMDAwMDAwMDAwMDAwMDAx.GhT9xQ.k2JvPzW0sY7mD4nRfLb8cXaQeUiHgTqVw1",
  E2E_SLACK: "xoxb-1234567890-1234567890-AbCdEfGhIjKlMnOp",
  E2E_SLACK_APP: "xapp-1-A0-1234567890-fb0a93c1d27e64850f3ea91b7cd2486e",
  E2E_WHATSAPP: "EAAJBxyzTokenOfTheWhatsAppTestAbCdEf",
  E2E_OPENAI: "sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
};
const UNTOLD = {
  E2E_WHATSAPP_SECRET: "c0ffeec0ffee0123456789abcdefc0ff",
  E2E_WHATSAPP_VERIFY: "VerifyWordOfTheEndToEndTest",
};
const SECRETS = Object.entries({ ...TOLD, ...UNTOLD });

/** Which of the secrets are in a text, whole or with a half missing. */
const found = (text) =>
  SECRETS.flatMap(([name, secret]) => {
    const half = Math.ceil(secret.length / 2);
    return [secret.slice(0, half), secret.slice(-half)].some((part) => text.includes(part)) ? [name] : [];
  });

/** All the page holds: what it shows, what stands in its fields, what it keeps, and its address. */
const held = (browser) =>
  browser.execute(() =>
    [
      document.documentElement.outerHTML,
      ...[...document.querySelectorAll("input, textarea, select")].map((field) => field.value),
      JSON.stringify(localStorage),
      JSON.stringify(sessionStorage),
      location.href,
    ].join("\n"),
  );

/** Everything below a folder, as text: journal, logs and what the window keeps for itself. */
async function kept(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  // The window goes on writing while they are read: what it has put away since is in no file it keeps.
  const gone = (error) => (error.code === "ENOENT" ? "" : Promise.reject(error));
  return Promise.all(files.map(async (file) => ({ file, text: await readFile(file, "latin1").catch(gone) })));
}

describe("what must stay secret, before servers that repeat it", () => {
  const servers = {};
  let window;
  before(async () => {
    servers.telegram = await loudmouth((description) => ({ ok: false, error_code: 401, description }));
    servers.discord = await loudmouth((message) => ({ code: 0, message }));
    servers.slack = await loudmouth((said, path) =>
      // Who does not know the bot's token is never told the app's.
      path.endsWith("auth.test")
        ? { ok: true, url: said, team: "T", user: said, team_id: "T0TEST", user_id: "U0BOT", bot_id: "B0BOT" }
        : { ok: false, error: said },
    );
    servers.whatsapp = await loudmouth((message) => ({ error: { message, type: "OAuthException", code: 190, fbtrace_id: "A" } }));
    servers.openai = await loudmouth((message) => ({ error: { message, type: "invalid_request_error", code: null } }));
    const config = `
[agent]
backend = "openai"
[agent.openai]
base_url = "${servers.openai.url}/v1"
model = "test"
api_key = { env = "E2E_OPENAI" }
[channels.telegram]
armed = true
allow_from = ["7"]
token = { env = "E2E_TELEGRAM" }
api_root = "${servers.telegram.url}"
[channels.discord]
armed = true
allow_from = ["42"]
token = { env = "E2E_DISCORD" }
api_root = "${servers.discord.url}"
[channels.slack]
armed = true
allow_from = ["U0ANA0001"]
token = { env = "E2E_SLACK" }
app_token = { env = "E2E_SLACK_APP" }
api_root = "${servers.slack.url}"
[channels.whatsapp]
armed = true
allow_from = ["16505551234"]
account = "106540352242922"
token = { env = "E2E_WHATSAPP" }
signing_secret = { env = "E2E_WHATSAPP_SECRET" }
verify_token = { env = "E2E_WHATSAPP_VERIFY" }
listen = "127.0.0.1:${await freePort()}"
api_root = "${servers.whatsapp.url}"
[channels.test]
kind = "loopback"
platform = "slack"
armed = true
allow_from = ["*"]
`;
    window = await open({ config, env: { ...TOLD, ...UNTOLD } });
  });
  after(async () => {
    await window?.close();
    await Promise.all(Object.values(servers).map((server) => server.close()));
  });

  it("is in no view of the window", async () => {
    const { browser } = window;
    const clean = async (where) => assert.deepEqual(found(await held(browser)), [], where);
    await go(browser, "channels");
    for (const channel of ["telegram", "discord", "slack", "whatsapp"]) await shows(browser, `channel-${channel}`, /Loudmouth/);
    await picture(browser, "secrets-channels");
    await clean("channels");
    await (await browser.$('[data-testid="channel-telegram"] [data-testid="channel-ledger"]')).click();
    await shows(browser, "book-dead", /./);
    await clean("ledger");
    await dismiss(browser, "book-dead");

    await go(browser, "compose");
    await write(browser, "compose-user", "Who are you?");
    await (await at(browser, "answers-agent")).click();
    await press(browser, Key.Ctrl, Key.Enter);
    await (await at(browser, "view-turn")).waitForDisplayed();
    await shows(browser, "view-turn", /The agent has no access/);
    await picture(browser, "secrets-turn");
    await clean("turn");
    await go(browser, "live");
    await shows(browser, "events", /./);
    await clean("live");
    for (const view of ["fixtures", "settings"]) {
      await go(browser, view);
      await clean(view);
    }
  });

  it("is in no file the app keeps, and in nothing it prints", async () => {
    const leaks = (await kept(window.folder)).filter(({ text }) => found(text).length > 0).map(({ file }) => file);
    assert.deepEqual(leaks, []);
    assert.deepEqual(found(window.output()), []);
  });

  it("was told to every server, and each repeated it", () => {
    const heard = Object.values(servers).map((server) => server.heard).join("\n");
    const missed = Object.entries(TOLD).filter(([, secret]) => !heard.includes(secret));
    assert.deepEqual(missed.map(([name]) => name), [], "the test would prove nothing of these");
  });
});
