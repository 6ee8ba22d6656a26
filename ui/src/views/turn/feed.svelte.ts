/** The list of turns: one window over all turns of the journal, its filter, and where the turn that is open stands in it. */
import type { FilterError, Frame, TurnId } from "../../generated/wire";
import { HostFailure } from "../../host/host";
import type { Console } from "../../state/console.svelte";
import { JournalView } from "../../store/view";

/** The filter survives a reload of the page and a look at another view. */
const KEY = "foldback.turns";

export class Feed {
  readonly #console: Console;
  readonly view: JournalView;

  /** Replaced whole with every frame; never deeply reactive. */
  frame = $state.raw<Frame | null>(null);
  following = $state(true);
  /** Turns that came since the list stopped following. */
  fresh = $state(0);
  filter = $state("");
  /** Why the text in the filter bar is not the filter. */
  error = $state.raw<FilterError | null>(null);
  /** Why the turns cannot be listed. */
  failure = $state.raw<HostFailure | null>(null);

  constructor(console: Console) {
    this.#console = console;
    this.view = new JournalView(console.host, undefined, "turns");
    this.view.listen(() => {
      this.frame = this.view.frame;
      this.following = this.view.following;
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
    const last = sessionStorage.getItem(KEY) ?? "";
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
      sessionStorage.setItem(KEY, text);
      return true;
    } catch (thrown) {
      this.failure = HostFailure.from(thrown);
      return false;
    }
  }

  /** The newest turn that is listed, to open when nothing is selected. */
  get newest(): TurnId | null {
    return this.frame?.turns.at(-1)?.turn ?? null;
  }
}
