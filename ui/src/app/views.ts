import Activity from "@lucide/svelte/icons/activity";
import CalendarClock from "@lucide/svelte/icons/calendar-clock";
import FlaskConical from "@lucide/svelte/icons/flask-conical";
import MessageSquare from "@lucide/svelte/icons/message-square";
import Plug from "@lucide/svelte/icons/plug";
import MessagesSquare from "@lucide/svelte/icons/messages-square";
import Settings from "@lucide/svelte/icons/settings";
import SquareTerminal from "@lucide/svelte/icons/square-terminal";
import SquarePen from "@lucide/svelte/icons/square-pen";
import type { Component } from "svelte";
import type { ViewId } from "../state/console.svelte";

export interface View {
  readonly id: ViewId;
  readonly title: string;
  readonly icon: Component;
  /** Each view is loaded when it is first shown, or by `loadTurns`. */
  readonly load: () => Promise<{ default: Component }>;
}

/** The rail, from top to bottom; the number keys follow this order. */
export const views: readonly View[] = [
  { id: "live", title: "Live", icon: Activity, load: () => import("../views/live/LiveView.svelte") },
  { id: "turn", title: "Turns", icon: MessageSquare, load: () => import("../views/turn/TurnView.svelte") },
  { id: "compose", title: "Compose", icon: SquarePen, load: () => import("../views/compose/ComposeView.svelte") },
  { id: "fixtures", title: "Fixtures", icon: FlaskConical, load: () => import("../views/fixtures/FixturesView.svelte") },
  { id: "channels", title: "Channels", icon: Plug, load: () => import("../views/channels/ChannelsView.svelte") },
  { id: "sessions", title: "Sessions", icon: MessagesSquare, load: () => import("../views/sessions/SessionsView.svelte") },
  { id: "schedules", title: "Schedules", icon: CalendarClock, load: () => import("../views/schedules/SchedulesView.svelte") },
  { id: "shells", title: "Shells", icon: SquareTerminal, load: () => import("../views/shells/ShellsView.svelte") },
  { id: "settings", title: "Settings", icon: Settings, load: () => import("../views/settings/SettingsView.svelte") },
];

/** Loads the list of turns: once the first view stands, so that it need not come in when it is opened. */
export async function loadTurns(): Promise<void> {
  // Where it cannot be loaded, it says so when it is shown.
  await views.find(({ id }) => id === "turn")?.load().catch(() => undefined);
}
