// What a person does in the window, in a person's words.
import { Key } from "webdriverio";

/** The element with this handle. */
export const at = (browser, id) => browser.$(`[data-testid="${id}"]`);
export const allAt = (browser, id) => browser.$$(`[data-testid="${id}"]`);

/** Goes to a view by its place in the rail. */
export async function go(browser, view) {
  await (await at(browser, `rail-${view}`)).click();
  await (await at(browser, `view-${view}`)).waitForDisplayed();
}

/** The text an element shows now; empty while it is not there. */
export async function textOf(browser, id) {
  const element = await at(browser, id);
  return (await element.isExisting()) ? element.getText() : "";
}

/** Waits until `probe` answers something true, and gives it back. */
export async function eventually(browser, probe, what, timeout = 30_000) {
  let answer;
  await browser.waitUntil(async () => (answer = await probe()), { timeout, timeoutMsg: `waited in vain: ${what}` });
  return answer;
}

/** Replaces the text of an editor, as one types it. */
export async function write(browser, id, text) {
  const content = await browser.$(`[data-testid="${id}"] .cm-content`);
  await content.click();
  await browser.keys([Key.Ctrl, "a"]);
  await browser.keys([Key.Delete]);
  await browser.keys([...text]);
}

/** Presses keys where the focus is. */
export const press = (browser, ...keys) => browser.keys(keys);

/** Chooses a theme through the command palette. */
export async function theme(browser, title) {
  await browser.keys([Key.Ctrl, "k"]);
  await (await at(browser, "palette-input")).waitForDisplayed();
  await browser.keys([...`theme: ${title}`]);
  await browser.keys([Key.Enter]);
  await (await at(browser, "palette-input")).waitForDisplayed({ reverse: true });
}
