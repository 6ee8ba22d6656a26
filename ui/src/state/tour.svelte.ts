/**
 * The guided tour through the demo's turns. At a first start it waits until the first stop's turn has ended, and opens
 * it. A stop opens by itself only where the person has not gone elsewhere meanwhile; else the bar offers it.
 *
 * The backend is asked for the stops when a person goes to one, and after that only when a turn ended or a message came
 * in, as the figures tell: no timer runs, and a stop that was found is not asked for again.
 */
import { demoTopics } from "../generated/closed";
import type { DemoStop, DemoTopic, Status, TurnId } from "../generated/wire";
import type { Place } from "../store/selection";
import type { Console, ViewId } from "./console.svelte";

/** Not begun, the topic it stands at, or over until a person begins it again. */
export type TourProgress = "new" | DemoTopic | "done";

/** A stop the demo has come to. */
export interface TourStop {
  readonly topic: DemoTopic;
  readonly turn: TurnId;
  readonly seq: number;
}

/** The topics in the order of the tour. */
const TOPICS: readonly DemoTopic[] = demoTopics.map(({ code }) => code);
const [FIRST] = demoTopics;

export class Tour {
  readonly #console: Console;
  #stops = $state.raw<readonly DemoStop[]>([]);
  /** Where the person was when a stop was asked for; it opens by itself while they are still there. */
  #from: { view: ViewId; selected: Place | null } | null = null;
  #asking = false;
  /** What the figures said when the backend was asked last. */
  #asked = "";
  #opened = $state(false);

  /** The stop it stands at; `null` while there is no tour. */
  topic = $state<DemoTopic | null>(null);
  /** Whether the backend is yet to say if the demo has come to that stop. */
  looking = $state(false);
  /** The callout that is shown, from 0; `null` once they were read or skipped. */
  callout = $state<number | null>(null);
  /** That stop, once the demo has come to it. */
  readonly stop = $derived.by<TourStop | null>(() => {
    const found = this.#stops.find((stop) => stop.topic === this.topic);
    return found?.turn == null || found.seq === null ? null : { topic: found.topic, turn: found.turn, seq: found.seq };
  });
  /** The stop, once its turn was opened. */
  readonly shown = $derived(this.#opened ? this.stop : null);
  /** The topic after this one; `null` at the last. */
  readonly following = $derived<DemoTopic | null>(this.topic === null ? null : (TOPICS[TOPICS.indexOf(this.topic) + 1] ?? null));

  constructor(console: Console) {
    this.#console = console;
  }

  /** Begins from the first stop, or says why it cannot. */
  start(): void {
    if (this.#console.status?.demo == null)
      return this.#console.toast("warn", "The tour needs the demo, which never plays beside channels of your own.", "Start Foldback without a `foldback.toml` to take the tour.");
    // The turns that an earlier tour stopped at may be gone.
    this.#stops = [];
    this.goTo(FIRST.code);
  }

  /** Goes to a stop: its turn is opened, at once or when the demo has come to it. */
  goTo(topic: DemoTopic): void {
    this.#stand(topic);
    this.#console.prefs.set("tour", topic);
    if (this.stop !== null) return this.show();
    this.#wait();
    this.looking = true;
    void this.#ask();
  }

  /** Goes to the stop after this one, and ends after the last. */
  next(): void {
    if (this.following === null) this.end();
    else this.goTo(this.following);
  }

  /** Opens the turn of the stop, where the demo has come to it. */
  show(): void {
    if (this.stop === null) return;
    this.#from = null;
    this.#opened = true;
    this.callout = 0;
    this.#console.openTurn(this.stop.turn, this.stop.seq);
  }

  /** Ends it until a person begins it again. */
  end(): void {
    this.#leave();
    this.#console.prefs.set("tour", "done");
    this.#console.toast("info", "The tour is over.", "“Take the tour” in Search and run begins it again.");
  }

  /** Takes in the figures: without a demo there is no tour; with one it begins, or goes on after a reload. */
  hear({ demo, running }: Status): void {
    if (demo === null) return this.#leave();
    if (this.topic === null) this.#resume();
    const news = `${demo.round} ${demo.written} ${running}`;
    if (this.topic === null || this.stop !== null || this.#asking || news === this.#asked) return;
    this.#asked = news;
    void this.#ask(true);
  }

  #resume(): void {
    const progress = this.#console.prefs.get("tour");
    if (progress === "done") return;
    this.#stand(progress === "new" ? FIRST.code : progress);
    // After a reload the person is where they were, and stays there.
    if (progress === "new") this.#wait();
  }

  #stand(topic: DemoTopic): void {
    this.topic = topic;
    this.#opened = false;
    this.callout = null;
    this.looking = false;
  }

  #leave(): void {
    this.topic = null;
    this.callout = null;
    this.#from = null;
  }

  #wait(): void {
    this.#from = { view: this.#console.view, selected: this.#console.selected };
  }

  /** Asks for the stops. A failure is said where a person asked; the figures will ask again. */
  async #ask(quietly = false): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      this.#stops = await this.#console.host.call("demo_stops", {});
    } catch (thrown) {
      if (!quietly) this.#console.fail(thrown);
    }
    this.#asking = false;
    this.looking = false;
    const { view, selected, status } = this.#console;
    if (this.stop !== null && this.#from !== null && view === this.#from.view && selected === this.#from.selected) this.show();
    // The answer may be older than what the figures told meanwhile.
    if (status !== null) this.hear(status);
  }
}
