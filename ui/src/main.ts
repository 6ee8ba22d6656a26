import "./theme/base.css";
import { mount } from "svelte";
import App from "./app/App.svelte";
import NoBackend from "./app/NoBackend.svelte";
import { findHost, HostFailure, type Host } from "./host";
import { Prefs } from "./state/prefs.svelte";
import { Theme } from "./state/theme.svelte";

const target = document.getElementById("app");
if (!target) throw new Error("index.html lost its #app");

// Before anything is mounted: the first frame already has its colours.
new Theme(new Prefs()).apply(document.documentElement);
document.body.hidden = false;

void start(target);

/** Shows the console once the backend has answered; a backend that cannot start says why instead. */
async function start(target: HTMLElement): Promise<void> {
  let host: Host | undefined;
  try {
    host = await findHost();
    await host.call("status", {});
    mount(App, { target, props: { host } });
  } catch (thrown) {
    mount(NoBackend, { target, props: { failure: HostFailure.from(thrown) } });
    host?.ready();
  }
}
