// Opens the real app in its real engine, on a display of its own, with data of its own.
import { mkdtemp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { remote } from "webdriverio";
import { end, freePort, start, until } from "./processes.js";

const root = resolve(import.meta.dirname, "../../..");
const built = (profile) => process.env.FOLDBACK_DESKTOP ?? join(root, `target/${profile}/foldback-desktop`);
const artifacts = process.env.FOLDBACK_ARTIFACTS ?? join(root, "artifacts/screenshots");

/**
 * A virtual display that closes with the window. `-displayfd` lets the server choose a free number; what is on the screen
 * stands in a file of `folder`, where one is given.
 */
export async function display(folder) {
  const kept = folder === undefined ? [] : ["-fbdir", folder];
  const server = start("Xvfb", ["-displayfd", "3", "-screen", "0", "1440x900x24", "-nolisten", "tcp", ...kept], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  let number = "";
  server.stdio[3].on("data", (data) => (number += data));
  await until(() => number.includes("\n") || server.exitCode !== null, "a display");
  if (!number.includes("\n")) throw new Error(`no display: ${server.output}`);
  return { server, name: `:${number.trim()}` };
}

/** Whether something listens on a port of this machine. */
export function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

/** What the page shows once the bot runs, or cannot. */
const started = '[data-testid^="view-"], [data-testid="no-backend"]';

/**
 * Opens a window.
 * @param {{config?: string, env?: Record<string, string>, data?: string, first?: string, profile?: string, tour?: boolean}} options
 *   the text of a foldback.toml, more environment, a data folder to use again (it is then kept), what to wait for,
 *   which build to open, and whether the tour through the demo may open: else it was ended before.
 */
export async function open({ config, env = {}, data, first = started, profile = "debug", tour = false } = {}) {
  const folder = data ?? (await mkdtemp(join(tmpdir(), "foldback-e2e-")));
  await mkdir(folder, { recursive: true });
  const pixels = await mkdtemp(join(tmpdir(), "foldback-screen-"));
  const screen = await display(pixels);
  const port = await freePort();
  // What the page itself keeps (theme, drafts) lies with the data, so that no window inherits from another.
  const own = Object.fromEntries(["DATA", "CONFIG", "CACHE"].map((kind) => [`XDG_${kind}_HOME`, join(folder, "window")]));
  const settings = { FOLDBACK_DATA_DIR: folder, FOLDBACK_FIXTURES: join(root, "fixtures"), ...own, ...env };
  if (config !== undefined) {
    settings.FOLDBACK_CONFIG = join(folder, "foldback.toml");
    await writeFile(settings.FOLDBACK_CONFIG, config);
  }
  const driver = start("WebKitWebDriver", [`--port=${port}`, "--host=127.0.0.1"], {
    env: {
      ...process.env,
      DISPLAY: screen.name,
      TAURI_AUTOMATION: "true",
      TAURI_WEBVIEW_AUTOMATION: "true",
      GDK_BACKEND: "x11",
      LIBGL_ALWAYS_SOFTWARE: "1",
      NO_AT_BRIDGE: "1",
      // No bus of the session: it would be started for this display and outlive it.
      DBUS_SESSION_BUS_ADDRESS: "disabled:",
      ...settings,
    },
  });
  const close = async () => {
    await browser?.deleteSession().catch(() => {});
    await end(driver);
    await end(screen.server);
    await rm(pixels, { recursive: true, force: true });
    if (data === undefined) await rm(folder, { recursive: true, force: true });
  };
  let browser;
  try {
    await until(() => answers(port), "WebKitWebDriver");
    browser = await remote({
      hostname: "127.0.0.1",
      port,
      logLevel: "error",
      connectionRetryCount: 0,
      connectionRetryTimeout: 120_000,
      waitforTimeout: 60_000,
      waitforInterval: 50,
      capabilities: {
        "wdio:enforceWebDriverClassic": true,
        "webkitgtk:browserOptions": { binary: built(profile), args: [] },
      },
    });
    await (await browser.$(first)).waitForDisplayed();
    // Only the demo has a tour, and what is shown in place of the console has none.
    if (!tour && config === undefined && first === started && (await endTour(browser))) await (await browser.$(first)).waitForDisplayed();
  } catch (error) {
    await close();
    throw new Error(`the window does not open: ${error.message}\n${driver.output}`, { cause: error });
  }
  /** Everything on the screen, as the display has it: also what the driver's pictures leave out, such as the caret. */
  const screenshot = () => readFile(join(pixels, "Xvfb_screen0"));
  return { browser, close, folder, screenshot, pid: driver.pid, output: () => driver.output };
}

/** Has the page keep that the tour was ended, and loads it again; false where it was ended before. */
async function endTour(browser) {
  const changed = await browser.execute(() => {
    const prefs = JSON.parse(localStorage.getItem("foldback.prefs") ?? "{}");
    if (prefs.tour === "done") return false;
    localStorage.setItem("foldback.prefs", JSON.stringify({ ...prefs, tour: "done" }));
    // It may have opened a turn already.
    sessionStorage.clear();
    return true;
  });
  if (changed) await browser.refresh();
  return changed;
}

/** Keeps a picture of the window as a test artifact, or where it is told to. */
export async function picture(browser, name, folder = artifacts) {
  await mkdir(folder, { recursive: true });
  // What was changed is on the screen once frames came after it, with the fonts it is written in.
  await browser.executeAsync((done) => {
    const frames = (left) => (left === 0 ? done() : requestAnimationFrame(() => frames(left - 1)));
    document.fonts.ready.then(() => frames(3));
  });
  await browser.saveScreenshot(join(folder, `${name}.png`));
}
