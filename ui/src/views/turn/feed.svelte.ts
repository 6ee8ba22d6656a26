/** The latest turns, kept up to date while they come. */
import type { TurnId, TurnSummary } from "../../generated/wire";
import { HostFailure } from "../../host/host";
import type { Console } from "../../state/console.svelte";
import { Latest } from "../../store/latest";
import { JournalView } from "../../store/view";

const PAGE = 100;
/** More turns than this are found by the filter of the Live view. */
const MOST = 500;
/** A list that is read need not change more often. */
const QUIET_MS = 250;

export class Feed {
  readonly #console: Console;
  readonly #view: JournalView;
  readonly #pages: Latest<number, TurnSummary[]>;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #limit = PAGE;

  turns = $state.raw<readonly TurnSummary[]>([]);
  loaded = $state(false);
  failure = $state.raw<HostFailure | null>(null);
  /** Whether there may be older ones. */
  more = $state(false);
  text = $state("");

  readonly shown = $derived.by(() => {
    const words = this.text.toLowerCase().split(/\s+/).filter((word) => word !== "");
    if (words.length === 0) return this.turns;
    return this.turns.filter((turn) => {
      const all = `#${turn.turn} ${turn.channel ?? ""} ${turn.sender} ${turn.user_text} ${turn.answer} ${turn.terminal?.state ?? "running"}`.toLowerCase();
      return words.every((word) => all.includes(word));
    });
  });

  constructor(console: Console) {
    this.#console = console;
    this.#view = new JournalView(console.host);
    this.#view.window(0, 1);
    this.#view.listen(() => this.#soon());
    this.#pages = new Latest(
      (limit) => this.#console.host.call("turns", { before: null, limit }),
      (turns, limit) => {
        this.turns = turns;
        this.loaded = true;
        this.failure = null;
        this.more = turns.length >= limit && limit < MOST;
      },
      (reason) => {
        this.failure = HostFailure.from(reason);
        this.loaded = true;
      },
    );
  }

  open(): void {
    this.#pages.want(this.#limit);
    this.#view.open("kind:received,chunk,ended,turn_ended,undelivered").catch((thrown: unknown) => {
      this.#console.toast("warn", "The list of turns does not follow what comes in.", HostFailure.from(thrown).message);
    });
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#view.close();
    this.#pages.close();
  }

  /** Loads older ones too. */
  loadMore(): void {
    this.#limit = Math.min(MOST, this.#limit + PAGE);
    this.#pages.want(this.#limit);
  }

  refresh(): void {
    this.#pages.want(this.#limit);
  }

  /** The newest turn, to open when nothing is selected. */
  get newest(): TurnId | null {
    return this.turns[0]?.turn ?? null;
  }

  /** At once, so that a turn that ended does not go on running here; and once more for all that comes right after. */
  #soon(): void {
    if (this.#timer !== null) return;
    this.#pages.want(this.#limit);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#pages.want(this.#limit);
    }, QUIET_MS);
  }
}
