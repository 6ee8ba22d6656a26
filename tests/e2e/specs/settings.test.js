import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { allAt, at, command, eventually, go, press, shows, textOf, write } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

const CHANNEL = '[channels.telegram]\nkind = "loopback"\narmed = true\nallow_from = ["*"]\n';
const SECRETS = "The key is sk-abcdefghijklmnopqrstuvwx for ACME-123456.";

const config = `${CHANNEL}
[redact]
email = true
allow = ["AKIAIOSFODNN7EXAMPLE"]

[[redact.extra]]
about = "customer numbers"
pattern = '\\bACME-(\\d{6})\\b'
`;

/** A row of the table, as it reads. */
const row = (browser, kind) =>
  browser.execute((wanted) => document.querySelector(`[data-testid="secret-kind"][data-kind="${wanted}"]`)?.innerText.replaceAll(/\s+/g, " "), kind);

describe("the secrets in the settings", () => {
  let window;
  before(async () => (window = await open({ config })));
  after(() => window?.close());

  it("are listed with the setting that decides, the operator's own among them", async () => {
    const { browser } = window;
    await go(browser, "settings");
    await shows(browser, "secrets-table", /OpenAI/);
    assert.match(await row(browser, "sk"), /use sk-proj.*→ use \[redacted\] masked redact\.enabled = true/);
    assert.match(await row(browser, "email"), /masked redact\.email = true/);
    assert.match(await row(browser, "phone"), /shown as it is redact\.phone = false/);
    assert.match(await row(browser, "redact.extra 1"), /customer numbers .*ACME.* masked/);
    await shows(browser, "secrets-allow", /AKIAIOSFODNN7EXAMPLE/);
    await shows(browser, "masked-none", /nothing masked since the start/);
  });

  it("are counted as answers mask them, and the figure leads to its events", async () => {
    const { browser } = window;
    await go(browser, "compose");
    await write(browser, "compose-output", SECRETS);
    await shows(browser, "clean-text", /^The key is \[redacted\] for ACME-\[redacted\]\.$/);
    await press(browser, Key.Ctrl, Key.Enter);
    await (await at(browser, "view-turn")).waitForDisplayed();
    await shows(browser, "chat", /The key is \[redacted\] for ACME-\[redacted\]/);
    await go(browser, "settings");
    await shows(browser, "masked-figure", /2 places in the text of answers/);
    for (const theme of ["dark", "light"]) {
      await command(browser, `theme: ${theme}`);
      await picture(browser, `settings-${theme}`);
    }
    await (await at(browser, "masked-figure")).click();
    await shows(browser, "event-count", /\b2 events/);
    await shows(browser, "events", /redacted[\s\S]*redacted/);
  });

  it("can be reached by key, and the window's look is chosen there", async () => {
    const { browser } = window;
    await (await at(browser, "rail-live")).click();
    await press(browser, "9");
    await (await at(browser, "view-settings")).waitForDisplayed();
    await (await at(browser, "theme-choice-contrast")).click();
    await eventually(browser, () => browser.execute(() => document.documentElement.dataset.contrast === "more"), "high contrast");
    await picture(browser, "settings-contrast");
    await (await at(browser, "theme-choice-light")).click();
    await (await at(browser, "zoom-choice-200")).click();
    const fits = () => browser.execute(() => { const { parentElement: box } = document.querySelector('[data-testid="secrets"]'); return box.scrollWidth <= box.clientWidth; });
    await eventually(browser, fits, "everything to fit an enlarged window");
    await browser.execute(() => document.querySelector('[data-testid="secrets"]').scrollIntoView());
    await picture(browser, "settings-enlarged");
    await browser.execute(() => document.querySelector('[data-testid="secrets-table"]').scrollIntoView());
    await picture(browser, "settings-enlarged-table");
  });
});

describe("a bot without redaction", () => {
  let window;
  before(async () => (window = await open({ config: `${CHANNEL}\n[redact]\nenabled = false\n` })));
  after(() => window?.close());

  it("says wherever a secret would be looked for that nothing is masked", async () => {
    const { browser } = window;
    await go(browser, "settings");
    await shows(browser, "secrets-off", /Nothing is masked/);
    assert.match(await row(browser, "sk"), /shown as it is redact\.enabled = false/);
    assert.equal((await allAt(browser, "masked-figure")).length, 0);
    await command(browser, "theme: light");
    await picture(browser, "settings-off");
    await go(browser, "compose");
    await write(browser, "compose-output", SECRETS);
    await shows(browser, "compose-secrets", /redaction is off[\s\S]*sent and kept as it is/);
    await shows(browser, "clean-text", /^The key is sk-abcdef/);
    await picture(browser, "compose-unredacted");
    await (await at(browser, "compose-patterns")).click();
    await (await at(browser, "view-settings")).waitForDisplayed();
    assert.match(await textOf(browser, "secrets"), /redaction is off/);
  });
});
