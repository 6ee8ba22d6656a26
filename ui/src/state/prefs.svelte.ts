/** What a person chose, kept on this machine. Never event data, never secrets. */
import type { Depth } from "../views/live/depth";
import type { ColumnChoice } from "./columns.svelte";
import type { TourProgress } from "./tour.svelte";

export type ThemeChoice = "system" | "dark" | "light" | "contrast";

export interface SavedFilter {
  readonly name: string;
  readonly text: string;
}

interface Stored {
  theme: ThemeChoice;
  /** Percent, 75–200. */
  zoom: number;
  roomy: boolean;
  delta: boolean;
  drawer: boolean;
  inspector: boolean;
  /** How much Live shows. */
  depth: Depth;
  /** How Schedules shows what comes. */
  calendar: "list" | "month";
  /** By list. */
  columns: Record<string, ColumnChoice>;
  recentFilters: string[];
  savedFilters: SavedFilter[];
  keys: Record<string, string[]>;
  /** How far the tour through the demo went. */
  tour: TourProgress;
}

const defaults: Stored = {
  theme: "system", zoom: 100, roomy: false, delta: false, drawer: false, inspector: true, depth: "turns", calendar: "list", columns: {},
  recentFilters: [], savedFilters: [], keys: {}, tour: "new",
};

const KEY = "foldback.prefs";
export const ZOOM_STEPS = [75, 90, 100, 110, 125, 150, 175, 200] as const;

function read(): Stored {
  try {
    // Fields of another version are kept out by spreading over the defaults; a broken text counts as none.
    return { ...defaults, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Stored>) };
  } catch {
    return { ...defaults };
  }
}

export class Prefs {
  #stored = $state<Stored>(read());

  get<K extends keyof Stored>(key: K): Stored[K] {
    return this.#stored[key];
  }

  set<K extends keyof Stored>(key: K, value: Stored[K]): void {
    this.#stored[key] = value;
    try {
      localStorage.setItem(KEY, JSON.stringify(this.#stored));
    } catch {
      // Full or forbidden: the choice holds as long as the window.
    }
  }

  /** The next step of zoom in a direction. */
  zoomBy(direction: 1 | -1): void {
    const zoom = this.#stored.zoom;
    const next = direction > 0 ? ZOOM_STEPS.find((s) => s > zoom) : ZOOM_STEPS.findLast((s) => s < zoom);
    if (next !== undefined) this.set("zoom", next);
  }

  /** Remembers a filter that was used, newest first, at most twelve. */
  used(filter: string): void {
    if (filter.trim() === "") return;
    this.set("recentFilters", [filter, ...this.#stored.recentFilters.filter((f) => f !== filter)].slice(0, 12));
  }
}
