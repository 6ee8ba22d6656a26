import "./theme/base.css";
import { hideBrowser } from "./app/browser";
import { start } from "./app/start";
import { loadTurns } from "./app/views";
import { findHost } from "./host";
import { Prefs } from "./state/prefs.svelte";
import { Theme } from "./state/theme.svelte";

const target = document.getElementById("app");
if (!target) throw new Error("index.html lost its #app");

// Before anything is mounted: the first frame already has its colours.
new Theme(new Prefs()).apply(document.documentElement);
document.body.hidden = false;
hideBrowser(document);

/** Ms that the first view has for itself. */
const FIRST_VIEW_MS = 1000;

void start(target, findHost).then(() => setTimeout(() => void loadTurns(), FIRST_VIEW_MS));
