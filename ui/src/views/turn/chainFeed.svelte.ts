/** The chain of the turn that is open, read when it is opened and again when one of its turns goes on. */
import type { ActionChain, TurnId } from "../../generated/wire";
import { HostFailure } from "../../host/host";
import type { Console } from "../../state/console.svelte";
import { Latest } from "../../store/latest";
import { JournalView, type Schedule } from "../../store/view";

/** Events that change a chain. Raw text is none: a chain is read anew a few times in a run, not for each chunk. */
const KINDS = [
  "delivery_due", "prepared", "action", "action_refused", "action_started", "action_ended", "action_answered", "permission_asked", "permission_decided",
  "delivery_accepted", "delivery_refused", "stopping", "warned", "intended", "waiting", "ended", "undelivered", "target_dead", "queued", "dequeued", "turn_ended",
];

export class ChainFeed {
  readonly #latest: Latest<TurnId, ActionChain>;
  readonly #view: JournalView;
  /** The turns whose events are watched. */
  #watched = "";
  /** Rows of the last frame. */
  #rows = -1;

  turn = $state<TurnId | null>(null);
  chain = $state.raw<ActionChain | null>(null);
  failure = $state.raw<HostFailure | null>(null);

  constructor(console: Console, schedule?: Schedule) {
    this.#view = new JournalView(console.host, schedule);
    this.#view.window(0, 1);
    this.#view.listen(() => {
      // A frame without a new row says that the journal went on elsewhere.
      const rows = this.#view.frame?.length ?? 0;
      if (rows === this.#rows || this.turn === null) return;
      this.#rows = rows;
      this.#latest.want(this.turn);
    });
    this.#latest = new Latest(
      (turn) => console.host.call("action_chain", { turn }),
      (chain, turn) => this.#take(chain, turn),
      (reason, turn) => {
        if (turn === this.turn && this.chain === null) this.failure = HostFailure.from(reason);
      },
    );
  }

  /** Shows the chain of a turn; of none, where there is none. */
  show(turn: TurnId | null): void {
    if (turn === this.turn) return;
    this.#view.close();
    this.#watched = "";
    [this.turn, this.chain, this.failure] = [turn, null, null];
    if (turn === null) this.#latest.unwish();
    else this.#latest.want(turn);
  }

  close(): void {
    this.#view.close();
    this.#latest.close();
  }

  #take(chain: ActionChain, turn: TurnId): void {
    if (turn !== this.turn) return;
    this.chain = chain;
    this.failure = null;
    const watched = chain.turns.map((of) => `#${of.turn}`).join(",");
    if (watched === this.#watched) return;
    this.#watched = watched;
    this.#rows = -1;
    // What is shown stays right as of now where it cannot be watched.
    this.#view.open(`turn:${watched} kind:${KINDS.join(",")}`).catch(() => undefined);
  }
}
