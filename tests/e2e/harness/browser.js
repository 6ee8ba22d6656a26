// Opens a file in a browser of the window's engine, as a person does who was sent it: no app, no server, no network.
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { remote } from "webdriverio";
import { end, freePort, start, until } from "./processes.js";
import { answers, display } from "./window.js";

const places = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map((system) => `/usr/lib/${system}/webkit2gtk-4.1/MiniBrowser`);
const minibrowser = process.env.FOLDBACK_BROWSER ?? places.find((place) => existsSync(place));

/** Opens a file; `close` ends browser, driver and display. */
export const openFile = (file) => openPage(pathToFileURL(file).href);

/** Opens an address, as `openFile` does a file. */
export async function openPage(address) {
  if (minibrowser === undefined) throw new Error("no browser: install MiniBrowser of webkit2gtk-4.1, or name one in FOLDBACK_BROWSER");
  const folder = await mkdtemp(join(tmpdir(), "foldback-browser-"));
  const screen = await display();
  const port = await freePort();
  const own = Object.fromEntries(["DATA", "CONFIG", "CACHE"].map((kind) => [`XDG_${kind}_HOME`, join(folder, kind)]));
  const driver = start("WebKitWebDriver", [`--port=${port}`, "--host=127.0.0.1"], {
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
    await until(() => answers(port), "WebKitWebDriver");
    browser = await remote({
      hostname: "127.0.0.1", port, logLevel: "error", connectionRetryCount: 0, connectionRetryTimeout: 120_000, waitforTimeout: 60_000, waitforInterval: 50,
      capabilities: { "wdio:enforceWebDriverClassic": true, "webkitgtk:browserOptions": { binary: minibrowser, args: ["--automation"] } },
    });
    await browser.url(address);
  } catch (error) {
    await close();
    throw new Error(`the page does not open: ${error.message}\n${driver.output}`, { cause: error });
  }
  return { browser, close };
}
