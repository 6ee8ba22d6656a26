// Opens a file in a browser, as a person does who was sent it: no app, no server, no network.
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { remote } from "webdriverio";
import { end, freePort, start, until } from "./processes.js";
import { answers, display } from "./window.js";

const places = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map((system) => `/usr/lib/${system}/webkit2gtk-4.1/MiniBrowser`);
const minibrowser = process.env.FOLDBACK_BROWSER ?? places.find((place) => existsSync(place));
const onPath = (program) => process.env.PATH.split(delimiter).map((folder) => join(folder, program)).find((file) => existsSync(file));
const [chromium, chromedriver] = [onPath("chromium"), onPath("chromedriver")];

/** The engine of the window, which has to be there. */
const webkit = {
  name: "WebKit",
  driver: "WebKitWebDriver",
  args: (port) => [`--port=${port}`, "--host=127.0.0.1"],
  capabilities: () => {
    if (minibrowser === undefined) throw new Error("no browser: install MiniBrowser of webkit2gtk-4.1, or name one in FOLDBACK_BROWSER");
    return { "webkitgtk:browserOptions": { binary: minibrowser, args: ["--automation"] } };
  },
};

/** What many people open a file with. As root it refuses its own sandbox. */
const blink = {
  name: "Chromium",
  driver: chromedriver,
  args: (port) => [`--port=${port}`],
  capabilities: (folder) => ({
    browserName: "chrome",
    "goog:chromeOptions": {
      binary: chromium,
      args: [
        "--headless=new", "--window-size=1440,900", "--disable-dev-shm-usage", "--disable-background-networking", `--user-data-dir=${join(folder, "chromium")}`,
        ...(process.getuid() === 0 ? ["--no-sandbox"] : []),
      ],
    },
  }),
};

/** The engines of this machine that a file can be opened in: the window's, and Chromium where it is with its driver. */
export const engines = chromium && chromedriver ? [webkit, blink] : [webkit];

/** Opens a file; `close` ends browser, driver and display. */
export const openFile = (file, engine = webkit) => openPage(pathToFileURL(file).href, engine);

/** Opens an address, as `openFile` does a file. */
export async function openPage(address, engine = webkit) {
  const folder = await mkdtemp(join(tmpdir(), "foldback-browser-"));
  const screen = await display();
  const port = await freePort();
  const own = Object.fromEntries(["DATA", "CONFIG", "CACHE"].map((kind) => [`XDG_${kind}_HOME`, join(folder, kind)]));
  const driver = start(engine.driver, engine.args(port), {
    env: {
      ...process.env, ...own, DISPLAY: screen.name, GDK_BACKEND: "x11", LIBGL_ALWAYS_SOFTWARE: "1", NO_AT_BRIDGE: "1",
      DBUS_SESSION_BUS_ADDRESS: "disabled:",
    },
  });
  let browser;
  const close = async () => {
    await browser?.deleteSession().catch(() => {});
    await end(driver);
    await end(screen.server);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until(() => answers(port), engine.driver);
    browser = await remote({
      hostname: "127.0.0.1", port, logLevel: "error", connectionRetryCount: 0, connectionRetryTimeout: 120_000, waitforTimeout: 60_000, waitforInterval: 50,
      capabilities: { "wdio:enforceWebDriverClassic": true, ...engine.capabilities(folder) },
    });
    await browser.url(address);
  } catch (error) {
    await close();
    throw new Error(`the page does not open: ${error.message}\n${driver.output}`, { cause: error });
  }
  return { browser, close };
}
