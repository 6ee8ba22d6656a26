// Takes the pictures of the README from the real window: `npm run readme`.
import { resolve } from "node:path";
import { Key } from "webdriverio";
import { at, command, eventually, go, press, shows, textOf, type, write } from "./harness/page.js";
import { open, picture } from "./harness/window.js";

const images = resolve(import.meta.dirname, "../../docs/images");
const output = `<actions>
<react emoji="tada" />
<send-file path="route.png" caption="Ridge, 24 km" />
</actions>
Two routes fit a weekend: the ridge, 24 km, or the valley, 31 km, flat, with a lake.

Which one do you feel like? <react emoji="eyes" />`;

const window = await open();
try {
  const { browser } = window;

  await command(browser, "theme: light");
  await go(browser, "compose");
  await write(browser, "compose-user", "I got the days off. Shall we plan the weekend in the hills?");
  await write(browser, "compose-output", "");
  for (const [index, line] of output.split("\n").entries()) {
    if (index > 0) await press(browser, Key.Enter);
    await type(browser, line);
  }
  await shows(browser, "lints", /bare-directive/);
  await shows(browser, "previews", /Which one do you feel like/);
  await picture(browser, "compose-light", images);

  // One bot answers another: a header that was stripped, text that is shown, a directive that is still open.
  await command(browser, "theme: dark");
  await go(browser, "turn");
  await shows(browser, "turns", /#6\b/);
  await (await browser.$('[data-testid="turn"][data-turn="3"]')).click();
  await shows(browser, "chat", /Thanks for checking/);
  await (await at(browser, "to-start")).click();
  await shows(browser, "cursor-label", /^byte 0$/);
  for (let chunk = 1; chunk <= 3; chunk += 1) {
    await press(browser, ".");
    await shows(browser, "cursor-label", new RegExp(`^chunk ${chunk} `));
  }
  await shows(browser, "why-card", /Releases/);
  await eventually(browser, async () => !/Thanks for checking/.test(await textOf(browser, "chat")), "the moment");
  await browser.execute(() => document.activeElement.blur());
  await picture(browser, "turn-dark", images);
} finally {
  await window.close();
}
