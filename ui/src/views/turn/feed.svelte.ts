/** The list of turns: one window over all turns of the journal, its filter, and where the turn that is open stands in it. */
import type { FilterError, Frame, TurnId } from "../../generated/wire";
import { HostFailure } from "../../host/host";
import type { Console } from "../../state/console.svelte";
import { count, plural } from "../../store/format";
import { JournalView } from "../../store/view";

const KEY = "foldback.turns";

/** Where a list keeps its filter, so that it survives a reload of the page and a look at another view. */
export interface FilterStore {
  read: () => string;
  write: (filter: string) => void;
}

const turnsFilter = (console: Console): FilterStore => {
  const key = console.storeKey(KEY);
  return { read: () => sessionStorage.getItem(key) ?? "", write: (filter) => sessionStorage.setItem(key, filter) };
};

export class Feed {
  readonly #console: Console;
  readonly #kept: FilterStore;
  readonly view: JournalView;

  /** Replaced whole with every frame; never deeply reactive. */
  frame = $state.raw<Frame | null>(null);
  following = $state(true);
  paused = $state(false);
  /** Turns that came since the list stopped following. */
  fresh = $state(0);
  filter = $state("");
  /** Why the text in the filter bar is not the filter. */
  error = $state.raw<FilterError | null>(null);
  /** Why the turns cannot be listed. */
  failure = $state.raw<HostFailure | null>(null);

  constructor(console: Console, kept: FilterStore = turnsFilter(console)) {
    this.#console = console;
    this.#kept = kept;
    this.view = new JournalView(console.host, undefined, "turns");
    this.view.listen(() => {
      this.frame = this.view.frame;
      this.following = this.view.following;
      this.paused = this.view.paused;
      this.fresh = this.view.fresh;
    });
  }

  /** Whether it is known which turns there are. */
  get loaded(): boolean {
    return this.frame !== null || this.failure !== null;
  }

  /** The view whose rows are on the screen; another number says that all rows are others. */
  get opened(): number {
    return this.frame?.view ?? 0;
  }

  /** Opens the list under the filter it had last. */
  async open(): Promise<void> {
    const last = this.#kept.read();
    if (!(await this.apply(last)) && last !== "" && this.failure === null) await this.apply("");
  }

  /** Opens it again after a failure. */
  retry(): void {
    void this.apply(this.filter);
  }

  close(): void {
    this.view.close();
  }

  /** Filters by a text; false, with `error` or `failure` set, when it is no filter. */
  async apply(text: string): Promise<boolean> {
    try {
      // Without a text there is nothing to check, and the list is there one answer earlier.
      const { error } = text.trim() === "" ? { error: null } : await this.#console.host.call("filter_check", { text });
      this.error = error;
      if (error) return false;
      this.view.follow(true);
      await this.view.open(text);
      this.filter = text;
      this.failure = null;
      this.#kept.write(text);
      return true;
    } catch (thrown) {
      this.failure = HostFailure.from(thrown);
      return false;
    }
  }

  /** How many turns there are, and how many of them pass. */
  get note(): string | undefined {
    if (this.frame === null) return undefined;
    const of = plural(this.frame.total, "turn");
    return `${this.filter.trim() === "" ? of : `${count(this.frame.length)} of ${of}`}${this.frame.scanning ? ", still looking…" : ""}`;
  }

  togglePause(): void {
    void this.view.pause(!this.paused).catch((thrown: unknown) => this.#console.fail(thrown));
  }

  /** The newest turn that is listed, to open when nothing is selected. */
  get newest(): TurnId | null {
    return this.frame?.turns.at(-1)?.turn ?? null;
  }
}
