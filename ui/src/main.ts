import "./theme/base.css";
import { mount, unmount } from "svelte";
import App from "./app/App.svelte";
import NoBackend from "./app/NoBackend.svelte";
import Starting from "./app/Starting.svelte";
import { findHost, HostFailure, type Host } from "./host";
import { Prefs } from "./state/prefs.svelte";
import { Theme } from "./state/theme.svelte";

const target = document.getElementById("app");
if (!target) throw new Error("index.html lost its #app");

// Before anything is mounted: the first frame already has its colours.
new Theme(new Prefs()).apply(document.documentElement);
document.body.hidden = false;

void start(target);

/** A start that takes longer than this says that it is under way. */
const SLOW_MS = 500;

/** Shows the console once the backend has answered; a backend that cannot start says why instead. */
async function start(target: HTMLElement): Promise<void> {
  let host: Host | undefined;
  let starting: ReturnType<typeof mount> | undefined;
  const slow = setTimeout(() => {
    starting = mount(Starting, { target });
    host?.ready();
  }, SLOW_MS);
  const begin = async (): Promise<void> => {
    clearTimeout(slow);
    if (starting) await unmount(starting);
  };
  try {
    host = await findHost();
    await host.call("status", {});
    await begin();
    mount(App, { target, props: { host } });
  } catch (thrown) {
    await begin();
    mount(NoBackend, { target, props: { failure: HostFailure.from(thrown) } });
    host?.ready();
  }
}
