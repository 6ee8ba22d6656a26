import type { FilterError, Frame } from "../generated/wire";
import { HostFailure } from "../host/host";
import { filterAt } from "../views/live/depth";
import { JournalView } from "../store/view";
import type { Console } from "./console.svelte";

/** What survives a reload of the page: not rows, but where to ask for them again. */
interface Place {
  readonly filter: string;
  readonly following: boolean;
  /** First row on the screen. */
  readonly seq: number | null;
}

const KEY = "foldback.live";

/** The filter that all depths of Live share. */
export const keptFilter = (console: Console) => {
  const key = console.storeKey(KEY);
  return {
    read: (): string => readPlace(key).filter,
    write: (filter: string): void => sessionStorage.setItem(key, JSON.stringify({ ...readPlace(key), filter })),
  };
};

/** The Live view: one window over the journal, its filter, and where one is in it. */
export class Live {
  readonly #console: Console;
  readonly view: JournalView;
  /** Replaced whole with every frame; never deeply reactive. */
  frame = $state.raw<Frame | null>(null);
  following = $state(true);
  paused = $state(false);
  fresh = $state(0);
  filter = $state("");
  /** Why the text in the filter bar is not the filter. */
  error = $state.raw<FilterError | null>(null);
  /** Why the journal cannot be shown at all. */
  failure = $state.raw<HostFailure | null>(null);

  constructor(console: Console) {
    this.#console = console;
    this.view = new JournalView(console.host);
    this.view.listen(() => {
      this.frame = this.view.frame;
      this.following = this.view.following;
      this.paused = this.view.paused;
      if (this.view.fresh > this.fresh) console.announce(`${this.view.fresh} new events`);
      this.fresh = this.view.fresh;
    });
  }

  /** Opens the journal where the last page left it. Answers the index to scroll to, if it did not follow. */
  async resume(): Promise<number | null> {
    const place = readPlace(this.#console.storeKey(KEY));
    const asked = this.#console.askedFilter;
    this.#console.askedFilter = null;
    if (!(await this.apply(asked ?? place.filter)) && (asked ?? place.filter) !== "") await this.apply("");
    if (asked !== null || place.following || place.seq === null) return null;
    this.view.follow(false);
    return this.view.find(place.seq);
  }

  /** Filters by a text; false, with `error` or `failure` set, when it is no filter. */
  async apply(text: string): Promise<boolean> {
    try {
      const { error } = await this.#console.host.call("filter_check", { text });
      this.error = error;
      if (error) return false;
      await this.view.open(filterAt(this.#console.prefs.get("depth"), text));
      this.filter = text;
      keptFilter(this.#console).write(text);
      this.failure = null;
      return true;
    } catch (thrown) {
      this.failure = HostFailure.from(thrown);
      return false;
    }
  }

  togglePause(): void {
    void this.view.pause(!this.paused).catch((thrown: unknown) => this.#console.fail(thrown));
  }

  remember(firstShown: number): void {
    const seq = this.view.row(firstShown)?.seq ?? null;
    const place: Place = { filter: this.filter, following: this.following, seq };
    sessionStorage.setItem(this.#console.storeKey(KEY), JSON.stringify(place));
  }

  close(): void {
    this.view.close();
  }
}

function readPlace(key: string): Place {
  const start: Place = { filter: "", following: true, seq: null };
  try {
    return { ...start, ...(JSON.parse(sessionStorage.getItem(key) ?? "{}") as Partial<Place>) };
  } catch {
    // A place that cannot be read is the start; the journal is the same from there.
    return start;
  }
}
