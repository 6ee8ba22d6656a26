// Takes the pictures of the README from the real window: `npm run readme`.
import { resolve } from "node:path";
import { Key } from "webdriverio";
import { at, command, go, press, shows, type, write } from "./harness/page.js";
import { open, picture } from "./harness/window.js";

const images = resolve(import.meta.dirname, "../../docs/images");
const output = `<actions>
<react emoji="tada" />
<send-file path="route.png" caption="Ridge, 24 km" />
</actions>
Two routes fit a weekend: the ridge, 24 km, or the valley, 31 km, flat, with a lake.

Which one do you feel like? <react emoji="eyes" />`;

/** Takes pictures in a window of its own. */
async function visit(options, take) {
  const window = await open(options);
  try {
    await take(window.browser);
  } finally {
    await window.close();
  }
}

// A first start: the tour opens the first answer at the moment of a hold, and says what its panes show.
await visit({ tour: true }, async (browser) => {
  await (await at(browser, "demo-toggle")).click();
  await shows(browser, "demo", /PAUSED/);
  await shows(browser, "tour-callout", /What the user sees.*1 of 3/s);
  await command(browser, "theme: dark");
  await (await at(browser, "tour-callout-next")).click();
  await shows(browser, "tour-callout", /What is held.*2 of 3/s);
  await picture(browser, "tour-dark", images);
});

await visit({}, async (browser) => {
  // Live shows one row per turn: answers, a deliberate silence, a failure, and what waits.
  await command(browser, "theme: light");
  await shows(browser, "demo", /next round/, 180_000);
  await command(browser, "pause the demo");
  await shows(browser, "demo", /PAUSED/);
  await browser.execute(() => document.activeElement.blur());
  await picture(browser, "live-light", images);

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
});
