import "./theme/base.css";
import { mount } from "svelte";
import App from "./app/App.svelte";
import NoBackend from "./app/NoBackend.svelte";
import { findHost, HostFailure } from "./host";
import { Prefs } from "./state/prefs.svelte";
import { Theme } from "./state/theme.svelte";

const target = document.getElementById("app");
if (!target) throw new Error("index.html lost its #app");

// Before anything is mounted: the first frame already has its colours.
new Theme(new Prefs()).apply(document.documentElement);
document.body.hidden = false;

findHost().then(
  (host) => mount(App, { target, props: { host } }),
  (thrown: unknown) => mount(NoBackend, { target, props: { failure: HostFailure.from(thrown) } }),
);
