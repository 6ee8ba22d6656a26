/** What the Turn view shows: one turn, the moment one stands at, and how time moves. */
import type { Decision, Moment, TurnDetail, TurnId } from "../../generated/wire";
import { HostFailure } from "../../host/host";
import type { Console } from "../../state/console.svelte";
import { Now, SECOND_MS } from "../../state/now.svelte";
import { Latest } from "../../store/latest";
import { JournalView } from "../../store/view";
import { Moments } from "./model/moments";
import { Playback, type Speed } from "./model/playback";
import { Script } from "./model/script";
import { isSameMoment, timeOfDay, Timeline, tookMs, type Position, type Step, type Way } from "./model/timeline";

export class Desk {
  readonly #console: Console;
  readonly #feed: JournalView;
  readonly #details: Latest<TurnId, TurnDetail>;
  readonly #playback = new Playback();
  readonly #now = new Now();
  #moments: Moments | null = null;
  #frame = 0;
  #goal: number | null = null;
  /** The time at which one is to stand once the turn is there. */
  #goalMs: number | null = null;

  /** The turn that is open. */
  turn = $state<TurnId | null>(null);
  detail = $state.raw<TurnDetail | null>(null);
  timeline = $state.raw<Timeline | null>(null);
  /** Where one stands. */
  position = $state.raw<Position | null>(null);
  /** The moment that was answered last, and the position that it was asked for. */
  #told = $state.raw<{ moment: Moment; position: Position } | null>(null);
  failure = $state.raw<HostFailure | null>(null);
  playing = $state(false);
  speed = $state<Speed>(1);
  /** Columns the pane of raw text has room for. */
  columns = $state(80);

  #script: Script | null = null;
  readonly script = $derived.by(() => {
    if (this.detail === null) return null;
    return (this.#script = new Script(this.detail, this.columns, this.#script));
  });
  /** Whether the turn has not ended; it may still wait. */
  readonly running = $derived(this.detail !== null && this.detail.summary.terminal === null);
  /** Whether it waits for the turn before it. */
  readonly queued = $derived(this.detail?.summary.queued === true);
  /** Whether one stands at the end and stays there while the turn goes on. */
  readonly atEnd = $derived(this.position !== null && this.timeline !== null && this.position.byte === null && this.position.seq >= this.timeline.end.seq);
  /** Whether one looks at a turn that goes on, and at its end: its clock goes on too. */
  readonly following = $derived(this.running && this.atEnd);
  /** Length of the turn in milliseconds, never zero; up to now while it is followed, and no shorter when one looks back. */
  readonly duration = $derived.by(() => {
    if (this.detail === null || this.timeline === null) return 1;
    return this.running ? Math.max(this.timeline.duration, tookMs(this.detail.summary, this.#now.ms)) : this.timeline.duration;
  });
  /** The time of the turn one stands at, in milliseconds since it began. */
  readonly atMs = $derived(this.following ? this.duration : (this.position?.atMs ?? 0));
  /** The turn as it was there, for all panes; it may be one answer behind the position. */
  readonly moment = $derived<Moment | null>(this.#told?.moment ?? null);
  /** The time of what the panes show, in milliseconds since the turn began: the time one stands at, once its moment was answered. What waits or is held is counted to here. */
  readonly shownMs = $derived(this.#told === null || (this.position !== null && isSameMoment(this.#told.position, this.position)) ? this.atMs : this.#told.moment.at_ms);
  /** The same as a time of day. */
  readonly shownAt = $derived(this.detail === null ? "" : timeOfDay(this.detail, this.shownMs));
  /** The last decision of what the panes show. */
  readonly decision = $derived<Decision | null>(this.moment?.decision?.decision ?? null);

  constructor(console: Console) {
    this.#console = console;
    this.#feed = new JournalView(console.host);
    this.#feed.window(0, 1);
    this.#feed.listen(() => {
      if (this.turn !== null) this.#details.want(this.turn);
    });
    this.#details = new Latest(
      (turn) => console.host.call("turn", { turn }),
      (detail) => this.#take(detail),
      (reason, turn) => {
        if (turn === this.turn && this.detail === null) this.failure = HostFailure.from(reason);
      },
    );
  }

  /** Opens a turn, at an event of it or at its end. */
  open(turn: TurnId, seq: number | null = null): void {
    if (turn === this.turn) {
      if (seq !== null) this.goTo(seq);
      return;
    }
    this.pause();
    this.#moments?.close();
    this.#moments = null;
    this.#script = null;
    this.turn = turn;
    this.#goal = seq;
    this.#goalMs = null;
    [this.detail, this.timeline, this.position, this.#told, this.failure] = [null, null, null, null, null];
    this.#details.want(turn);
    this.#feed.open(`turn:#${turn}`).catch((thrown: unknown) => {
      this.#console.toast("warn", `Turn #${turn} is shown as it is now and does not go on.`, HostFailure.from(thrown).message);
    });
  }

  /** Opens a turn at a time of it, in milliseconds since it began. */
  openAt(turn: TurnId, ms: number): void {
    this.open(turn);
    if (this.timeline === null) this.#goalMs = ms;
    else this.scrub(ms);
  }

  /** Asks again after a failure. */
  retry(): void {
    this.failure = null;
    if (this.turn !== null) this.#details.want(this.turn);
  }

  close(): void {
    this.pause();
    this.#feed.close();
    this.#details.close();
    this.#moments?.close();
  }

  /** Goes on with the wall clock while a turn is followed. Call inside an effect. */
  tick(): (() => void) | undefined {
    return this.following ? this.#now.tick(SECOND_MS) : undefined;
  }

  // --- time ---------------------------------------------------------------------------------------------------

  /** Stands at a position; every pane shows that moment. */
  stand(position: Position): void {
    this.position = position;
    this.#moments?.want(position);
  }

  /** Stands right after an event and marks it. */
  goTo(seq: number): void {
    if (this.timeline === null) {
      this.#goal = seq;
      return;
    }
    this.pause();
    this.stand(this.timeline.atSeq(seq));
  }

  step(by: Step, way: Way): void {
    const { timeline, position, turn } = this;
    if (timeline === null || position === null || turn === null) return;
    this.pause();
    const texts = this.script?.sections.map((s) => s.text) ?? [];
    const next = by === "byte" ? timeline.stepByte(position, way, texts) : timeline.step(position, by, way);
    if (next === null) {
      this.#console.announce(way === 1 ? `No later ${by}` : `No earlier ${by}`);
      return;
    }
    this.stand(next);
    // What one stepped to is what one looks at: it is marked in every pane.
    const decision = timeline.decisionAt(next);
    if (by !== "byte" && by !== "chunk" && decision !== null) this.#console.scrub({ turn, seq: decision.seq });
    this.#console.announce(decision?.text ?? "");
  }

  toStart(): void {
    this.pause();
    if (this.timeline !== null) this.stand(this.timeline.begin);
  }

  toEnd(): void {
    this.pause();
    if (this.timeline !== null) this.stand(this.timeline.end);
  }

  /** Stands at a time of the turn, as dragging does. */
  scrub(ms: number): void {
    this.pause();
    if (this.timeline !== null) this.stand(this.timeline.atTime(Math.max(0, ms)));
  }

  /** Stands where so many bytes of a message had come. */
  scrubByte(message: number, bytes: number): void {
    this.pause();
    if (this.timeline !== null) this.stand(this.timeline.atByte(message, bytes));
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** From the start when one stands at the end. */
  play(): void {
    const { timeline } = this;
    if (timeline === null) return;
    if (this.speed === "step") return this.step("chunk", 1);
    if (this.position === null || this.position.atMs >= timeline.duration) this.stand(timeline.begin);
    this.#playback.start(this.position?.atMs ?? 0);
    this.playing = true;
    this.#frame = requestAnimationFrame((now) => this.#tick(now));
  }

  replay(): void {
    this.toStart();
    if (this.speed === "step") this.speed = 1;
    this.play();
  }

  pause(): void {
    this.playing = false;
    cancelAnimationFrame(this.#frame);
  }

  #tick(now: number): void {
    const { timeline, speed } = this;
    if (!this.playing || timeline === null) return;
    if (speed === "step") return this.pause();
    const ms = this.#playback.frame(now, speed);
    const next = timeline.atTime(ms);
    if (next.seq === this.position?.seq) this.position = next;
    else this.stand(next);
    if (ms >= timeline.duration && !this.running) return this.pause();
    this.#frame = requestAnimationFrame((later) => this.#tick(later));
  }

  // --- what comes ---------------------------------------------------------------------------------------------

  #take(detail: TurnDetail): void {
    if (detail.summary.turn !== this.turn) return;
    if (this.detail !== null && detail.head === this.detail.head && detail.summary.terminal === this.detail.summary.terminal) return;
    const follow = this.position === null || this.atEnd;
    // Which bytes leaked is known at the end only, and is told of earlier moments too.
    const ended = this.detail !== null && this.detail.summary.terminal === null && detail.summary.terminal !== null;
    this.detail = detail;
    this.timeline = new Timeline(detail);
    this.failure = null;
    this.#moments ??= new Moments(
      detail.summary.turn,
      (turn, { seq, byte }) => this.#console.host.call("turn_at", { turn, seq, byte: byte === null ? null : [byte[0], byte[1]] }),
      (moment, position) => {
        this.#told = { moment, position };
        this.failure = null;
      },
      (reason) => (this.failure = HostFailure.from(reason)),
    );
    if (ended) {
      this.#moments.forget();
      if (this.position !== null) this.#moments.want(this.position);
    }
    if (this.#goal !== null) {
      this.stand(this.timeline.atSeq(this.#goal));
      this.#goal = null;
    } else if (this.#goalMs !== null) {
      this.stand(this.timeline.atTime(this.#goalMs));
      this.#goalMs = null;
    } else if (follow && !this.playing) this.stand(this.timeline.end);
  }
}
