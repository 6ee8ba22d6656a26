// Commands and directives: which there are, by the program itself, and how a person writes them in Compose.
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Key } from "webdriverio";
import { at, eventually, go, press, shows, write } from "./page.js";

const page = join(resolve(import.meta.dirname, "../../.."), "docs/commands.md");

/** What stands behind a slash in the running program, as Compose offers it. */
export async function offered(browser) {
  const catalog = await browser.executeAsync((done) => void window.__TAURI_INTERNALS__.invoke("rpc", { workspace: 0, name: "catalog", args: {} }).then(done));
  return catalog.commands.map(({ code }) => code);
}

/** What stands between backticks. */
const quoted = (text) => [...text.matchAll(/`([^`]+)`/g)].map(([, part]) => part);
/** The first cells of a table's rows, but for its head. */
const cells = (text) => [...text.matchAll(/^\| (`.+?) \| /gm)].map(([, cell]) => cell);

/**
 * Every command with its other names, and every directive with its other names and its values, as the reference page has
 * them. The page is written from the program's table, and a test of the program says so.
 */
export async function documented() {
  const text = await readFile(page, "utf8");
  const [commands, directives] = text.split(/^## Commands$/m)[1].split(/^## Directives$/m);
  return {
    // The usage stands behind the name.
    commands: cells(commands.split(/^## /m)[0]).flatMap((cell) => quoted(cell).map((name) => name.split(" ")[0])),
    directives: directives
      .split(/^### /m)
      .slice(1)
      .map((part) => ({ names: quoted(part.split("\n")[0]), values: cells(part).flatMap(quoted) })),
  };
}

/** Whether a written text holds a value of the reference page, in whose place a person writes one of their own. */
export function holds(text, value) {
  const written = value
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replace("DURATION", "\\d+\\w*").replace(/\bN$/, "\\d+").replace("ID", "\\w+").replace(/^MODEL$/, "[\\w/.@-]+")
    .replace("=", "[=:]");
  return new RegExp(`(?<=\\s)${written}(?=\\s|$)`).test(text);
}

/** Writes a message for the agent and sends it; the window shows its turn, whose number is answered. */
export async function say(browser, text) {
  const before = await newest(browser);
  await go(browser, "compose");
  await write(browser, "compose-user", text);
  await (await at(browser, "answers-agent")).click();
  await press(browser, Key.Ctrl, Key.Enter);
  const view = await at(browser, "view-turn");
  await view.waitForDisplayed();
  await view.click();
  return eventually(browser, async () => selected(browser).then((turn) => turn > before && turn), `the turn of ${text}`);
}

/** The turn that is open; 0 where none is. */
const selected = (browser) => browser.execute(() => Number(document.querySelector('[data-testid="turn"][aria-selected="true"]')?.dataset.turn ?? 0));

/** The newest turn of the journal; 0 where there is none. */
export const newest = (browser) =>
  browser.executeAsync((done) => void window.__TAURI_INTERNALS__.invoke("rpc", { workspace: 0, name: "turns", args: { before: null, limit: 1 } }).then((turns) => done(turns[0]?.turn ?? 0)));

/** Writes what Foldback answers itself, and looks for its answer and its ending. */
export async function isAnswered(browser, text, answer, ending) {
  const turn = await say(browser, text);
  if (answer !== null) await shows(browser, "chat", answer);
  await shows(browser, "blocked", /Foldback answered this message itself/);
  await endsAs(browser, turn, ending);
}

/** Waits until the row of a turn says how it ended. */
export const endsAs = (browser, turn, ending) =>
  eventually(
    browser,
    () =>
      browser.execute(
        (wanted, word) => document.querySelector(`[data-testid="turn"][data-turn="${wanted}"]`)?.innerText.includes(word) ?? false,
        turn,
        ending,
      ),
    `turn ${turn} to end as ${ending}`,
  );

/** Opens the turn after this one that ended so: a command beside a text is a turn of its own. */
export async function openBeside(browser, after, ending) {
  const row = await eventually(
    browser,
    () =>
      browser.execute(
        (least, word) => [...document.querySelectorAll('[data-testid="turn"]')].find((row) => Number(row.dataset.turn) > least && row.innerText.includes(word))?.dataset.turn,
        after,
        ending,
      ),
    `a turn after ${after} that ended as ${ending}`,
  );
  await (await browser.$(`[data-testid="turn"][data-turn="${row}"]`)).click();
  await eventually(browser, async () => (await selected(browser)) === Number(row), `turn ${row} to be open`);
}
