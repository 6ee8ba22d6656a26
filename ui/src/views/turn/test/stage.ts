/** Shows the window on hand-made turns: `npm run dev`, then /src/views/turn/test/stage.html. Not part of the app. */
import "../../../theme/base.css";
import { mount } from "svelte";
import App from "../../../app/App.svelte";
import { Prefs } from "../../../state/prefs.svelte";
import { Theme } from "../../../state/theme.svelte";
import { SampleHost } from "./host";

const target = document.getElementById("app");
if (target === null) throw new Error("no #app");
const view = new URLSearchParams(location.search).get("view");
if (view !== null) sessionStorage.setItem("foldback.view", view);
const theme = new URLSearchParams(location.search).get("theme");
const prefs = new Prefs();
if (theme === "dark" || theme === "light" || theme === "contrast") prefs.set("theme", theme);
new Theme(prefs).apply(document.documentElement);
mount(App, { target, props: { host: new SampleHost() } });
