import Activity from "@lucide/svelte/icons/activity";
import FlaskConical from "@lucide/svelte/icons/flask-conical";
import MessageSquare from "@lucide/svelte/icons/message-square";
import Plug from "@lucide/svelte/icons/plug";
import SquarePen from "@lucide/svelte/icons/square-pen";
import type { Component } from "svelte";
import type { ViewId } from "../state/console.svelte";

export interface View {
  readonly id: ViewId;
  readonly title: string;
  readonly icon: Component;
  /** Each view is loaded when it is first shown. */
  readonly load: () => Promise<{ default: Component }>;
}

/** The rail, from top to bottom; the number keys follow this order. */
const modules = import.meta.glob<{ default: Component }>("../views/*/*View.svelte");
const load = (path: string) => (): Promise<{ default: Component }> =>
  modules[`../views/${path}View.svelte`]?.() ?? Promise.reject(new Error(`There is no view ${path}.`));

export const views: readonly View[] = [
  { id: "live", title: "Live", icon: Activity, load: load("live/Live") },
  { id: "turn", title: "Turns", icon: MessageSquare, load: load("turn/Turn") },
  { id: "compose", title: "Compose", icon: SquarePen, load: load("compose/Compose") },
  { id: "fixtures", title: "Fixtures", icon: FlaskConical, load: load("fixtures/Fixtures") },
  { id: "channels", title: "Channels", icon: Plug, load: load("channels/Channels") },
];
