// What a person does in the window, in a person's words.
import { Key } from "webdriverio";

/** The element with this handle. */
export const at = (browser, id) => browser.$(`[data-testid="${id}"]`);
export const allAt = (browser, id) => browser.$$(`[data-testid="${id}"]`);

/** Goes to a view by its place in the rail. */
export async function go(browser, view) {
  await (await at(browser, `rail-${view}`)).click();
  await (await at(browser, `view-${view}`)).waitForDisplayed();
  if (view === "live") await dive(browser);
}

/** Chooses how much Live shows: turns, decisions or everything. */
export async function dive(browser, depth = "everything") {
  await (await at(browser, `depth-${depth}`)).click();
}

/**
 * The text an element shows now; empty while it is not there. The driver's own reading leaves out every line that may
 * be clipped with an ellipsis.
 */
export const textOf = (browser, id) =>
  browser.execute((wanted) => {
    const element = document.querySelector(`[data-testid="${wanted}"]`);
    if (!element?.checkVisibility()) return "";
    // A cell whose text ends early tells all of it to whoever rests on it.
    const cut = [...element.querySelectorAll('[role="gridcell"][title]')].filter((cell) => cell.innerText.endsWith("…"));
    return [element.innerText, ...cut.map((cell) => cell.title)].join("\n");
  }, id);

/** Whether the middle of an element can be seen and clicked where the page stands: nothing covers or clips it. */
export const inSight = (browser, id) =>
  browser.execute((wanted) => {
    const element = document.querySelector(`[data-testid="${wanted}"]`);
    const { x, y, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  }, id);

/** Waits until `probe` answers something true, and gives it back. */
export async function eventually(browser, probe, what, timeout = 60_000) {
  let answer;
  await browser.waitUntil(async () => (answer = await probe()), { timeout, timeoutMsg: `waited in vain: ${what}` });
  return answer;
}

/** Waits until an element shows what `pattern` wants; a failure tells what it shows instead. */
export async function shows(browser, id, pattern, timeout = 60_000) {
  let text;
  try {
    await browser.waitUntil(async () => pattern.test((text = await textOf(browser, id))), { timeout });
  } catch (error) {
    throw new Error(`${id} never showed ${pattern}, but:\n${text}`, { cause: error });
  }
  return text;
}

/** Types a text where the focus is, key by key: each is let go before the next goes down. */
export async function type(browser, text) {
  const keys = browser.action("key");
  for (const key of text) keys.down(key === "\n" ? Key.Enter : key).up(key === "\n" ? Key.Enter : key);
  await keys.perform();
}

/** Presses keys at once, such as a key with its modifiers. */
export const press = (browser, ...keys) => browser.keys(keys);

/** Replaces the text of an editor, as one types it. */
export async function write(browser, id, text) {
  const content = await browser.$(`[data-testid="${id}"] .cm-content`);
  await content.waitForDisplayed();
  await content.click();
  await press(browser, Key.Ctrl, "a");
  await press(browser, Key.Delete);
  await type(browser, text);
  // The page may still be busy with the keys when the driver has sent the last one.
  const plain = (words) => words.replace(/\s+/g, "");
  await eventually(browser, async () => plain(await content.getText()).includes(plain(text)), `${text} in ${id}`);
}

/** Runs what stands first in the command palette for some words, by keyboard alone. */
export async function command(browser, words) {
  await press(browser, Key.Ctrl, "k");
  const input = await at(browser, "palette-input");
  await input.waitForDisplayed();
  await eventually(browser, () => input.isFocused(), "the palette to take the keyboard");
  await type(browser, words);
  await press(browser, Key.Enter);
  await gone(browser, "palette-input");
}

/**
 * Waits until nothing with this handle can be seen. The page is asked in one step: the driver finds an element and then
 * asks for it, and an element that leaves between the two is an error ("stale") instead of an answer.
 */
export const gone = (browser, id) =>
  eventually(
    browser,
    () => browser.execute((wanted) => !document.querySelector(`[data-testid="${wanted}"]`)?.checkVisibility(), id),
    `${id} to be gone`,
  );

/** Closes what shows `id` with Escape: until it is gone, keys and clicks would still go to it. */
export async function dismiss(browser, id) {
  await press(browser, Key.Escape);
  await gone(browser, id);
}

/** Writes a message to the agent in Compose, and waits until its turn is open. */
export async function askAgent(browser, words) {
  await go(browser, "compose");
  await write(browser, "compose-user", words);
  const answers = await at(browser, "answers-agent");
  if ((await answers.getAttribute("aria-checked")) !== "true") await answers.click();
  await press(browser, Key.Ctrl, Key.Enter);
  await (await at(browser, "view-turn")).waitForDisplayed();
}

/** Saves what the open dialog exports to `file`, as a recording. */
export async function exportRecording(browser, file) {
  await (await at(browser, "export-format-recording")).click();
  // Until it is read, the dialog has no path to replace, and nothing to save.
  await shows(browser, "export-preview", /turns?\b[\s\S]* B\./);
  await (await at(browser, "export-path")).setValue(file);
  await press(browser, Key.Enter);
  await gone(browser, "export-dialog");
}

/** Waits for a request for permission, and takes the keyboard to the oldest, wherever it is. */
export async function takeRequest(browser) {
  // The keys say "none waits" to whoever presses them before the agent has asked.
  await shows(browser, "permissions-waiting", /PERMISSION/);
  await press(browser, Key.Ctrl, Key.Shift, "a");
  const focused = () => browser.execute(() => document.activeElement?.closest('[data-testid="permission-list"]') !== null);
  await eventually(browser, focused, "the request to take the keyboard");
}
