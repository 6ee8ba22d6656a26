/** Shows the top bar in every combination of its badges: `npm run dev`, then /src/app/test/bars.html. Not part of the app. */
import "../../theme/base.css";
import { mount } from "svelte";
import demo from "../../../recordings/demo";
import type { Alarm, DemoState, PendingPermission, Status } from "../../generated/wire";
import { RecordedHost } from "../../host/recorded";
import { Console } from "../../state/console.svelte";
import { Prefs } from "../../state/prefs.svelte";
import { Theme } from "../../state/theme.svelte";
import Bar from "./Bar.svelte";

const target = document.getElementById("app");
if (target === null) throw new Error("no #app");
const prefs = new Prefs();
const theme = new URLSearchParams(location.search).get("theme");
if (theme === "dark" || theme === "light" || theme === "contrast") prefs.set("theme", theme);
new Theme(prefs).apply(document.documentElement);

const status = demo.calls.find(({ name }) => name === "status")?.result as Status;
const cards = demo.calls.find(({ name }) => name === "channels")?.result as Console["channels"];

/** A state of the window, by its name. */
type State = readonly [name: string, apply: (console: Console) => void];

const told = (change: Partial<Status>) => (console: Console): void => void (console.status = { ...(console.status ?? status), ...change });
const demonstrates = (change: Partial<DemoState>): ReturnType<typeof told> => told({ demo: { phase: "playing", round: 10, rounds: 10, written: 4, messages: 11, next_round_at: null, ...change } });
const simulated = (console: Console): void => void (console.channels = cards.map((card) => ({ ...card, simulated: true })));
const asked = (console: Console): void => void (console.permissions = [{ number: "1" }, { number: "2" }] as PendingPermission[]);
const alarmed = (console: Console): void => {
  console.alarms = [{ kind: "error", seq: 1, turn: 10, message: "turn #10 failed" }] as unknown as Alarm[];
  console.alarmsTotal = 12;
};

const modes: readonly State[] = [
  ["simulated", simulated],
  ["dry run", () => undefined],
  ["live on one", told({ armed: ["telegram"] })],
  ["live on two", told({ armed: ["telegram-support", "discord-community"] })],
  ["live on three", told({ armed: ["telegram", "discord", "slack"] })],
];
const demos: readonly State[] = [
  ["no demo", told({ demo: null })],
  ["demo", demonstrates({})],
  ["demo between rounds", demonstrates({ phase: "between_rounds", next_round_at: "2026-11-21T13:02:31Z" })],
  ["demo paused", demonstrates({ phase: "paused" })],
  ["demo ended", demonstrates({ phase: "ended" })],
];
const warnings: readonly State[] = [
  ["quiet", () => undefined],
  ["muted", told({ muted: true })],
  ["faults", told({ faults: 12 })],
  ["permissions", asked],
  ["muted, faults and permissions", (console) => [told({ muted: true, faults: 12 }), asked].forEach((apply) => apply(console))],
];
const figures: readonly State[] = [
  ["calm", told({ unknown: 0, waiting: 0, running: 0, events_per_second: 0, p95_turn_ms: null })],
  ["busy", (console) => {
    told({ leaks: 3, unknown: 12, unknown_turns: [10], waiting: 1_240, running: 100, events_per_second: 10_887, dropped: 31_245, p95_turn_ms: 61_840 })(console);
    alarmed(console);
  }],
];

for (const mode of modes)
  for (const shown of demos)
    for (const warning of warnings)
      for (const figure of figures) {
        const states = [mode, shown, warning, figure];
        const console = new Console(new RecordedHost({ ...demo, pushes: [] }));
        console.status = status;
        console.channels = cards;
        for (const [, apply] of states) apply(console);
        // The action behind a button is its window's: it looks as it does where it can be pressed.
        console.actions.bind({ pause: () => undefined });
        const bar = document.createElement("div");
        bar.dataset["bar"] = states.map(([name]) => name).join(", ");
        target.append(bar);
        mount(Bar, { target: bar, props: { console } });
      }
