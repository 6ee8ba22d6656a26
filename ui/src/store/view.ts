import type { EventRow, FoundTurn, Frame, TurnId, TurnSummary, ViewRows } from "../generated/wire";
import type { Host, Unsubscribe } from "../host/host";
import { keepSame } from "./same";

/** When to draw; `requestAnimationFrame` in the page, at once in tests. */
export type Schedule = (draw: () => void) => void;

/**
 * A window over the journal. Holds the rows on the screen and nothing else: filtering, order and counts are the
 * backend's. The latest frame is drawn once per animation frame, and one frame is acknowledged each time, so that a page
 * that cannot keep up slows the sender to its own pace instead of growing.
 */
export class JournalView {
  readonly #host: Host;
  readonly #schedule: Schedule;
  readonly #rows: ViewRows;
  readonly #listeners = new Set<() => void>();
  #id: number | null = null;
  #unsubscribe: Unsubscribe | null = null;
  #pending: Frame | null = null;
  /** Numbers of frames that came and are not acknowledged, oldest first: at most two. */
  readonly #owed: number[] = [];
  #scheduled = false;
  #asked: { first: number; count: number } = { first: 0, count: 60 };
  #opening = 0;
  #sending = false;
  #dirty = false;
  /** Rows when it stopped following; null until there is a frame to count them. */
  #lengthAtUnpin: number | null = null;

  /** The latest frame drawn. A row that says what it said in the frame before is the object that it was. */
  frame: Frame | null = null;
  filter = "";
  following = true;
  paused = false;

  constructor(host: Host, schedule: Schedule = (draw) => void requestAnimationFrame(draw), rows: ViewRows = "events") {
    this.#host = host;
    this.#schedule = schedule;
    this.#rows = rows;
  }

  /** Rows that came since the view stopped following. */
  get fresh(): number {
    return this.following ? 0 : Math.max(0, (this.frame?.length ?? 0) - (this.#lengthAtUnpin ?? Number.POSITIVE_INFINITY));
  }

  /** The row at an index, when it is among those the page has. */
  row(index: number): EventRow | undefined {
    return this.frame?.rows[index - this.frame.first];
  }

  /** The same of a view of turns. */
  turn(index: number): TurnSummary | undefined {
    return this.frame?.turns[index - this.frame.first];
  }

  listen(listener: () => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Opens the journal under a filter; the old window stays on the screen until the new one has rows. */
  async open(filter: string): Promise<void> {
    const opening = ++this.#opening;
    const { view } = await this.#host.call("view_open", this.#rows === "events" ? { filter } : { filter, rows: this.#rows });
    if (opening !== this.#opening) return this.#drop(view);
    this.close();
    this.#id = view;
    this.filter = filter;
    this.paused = false;
    this.#lengthAtUnpin = null;
    this.#unsubscribe = this.#host.subscribe({ topic: "view", view }, (push) => {
      if (push.push === "frame" && push.frame.view === this.#id) this.#receive(push.frame);
    });
    this.#ask();
  }

  close(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = null;
    if (this.#id !== null) this.#drop(this.#id);
    this.#id = null;
    this.#pending = null;
    this.#owed.length = 0;
  }

  /** Says which rows are on the screen. */
  window(first: number, count: number): void {
    const { first: before, count: had } = this.#asked;
    this.#asked = { first, count };
    // While following, the place is the backend's: only another size is worth a request.
    if (count !== had || (first !== before && !this.following)) this.#ask();
  }

  /** Stays at the end, or stays where it is. */
  follow(on: boolean): void {
    if (on === this.following) return;
    this.following = on;
    if (!on) {
      this.#lengthAtUnpin = this.frame?.length ?? null;
      if (this.frame) this.#asked = { ...this.#asked, first: this.frame.first };
    }
    this.#changed();
    this.#ask();
  }

  /** Stops or resumes the frames; capture goes on. */
  async pause(paused: boolean): Promise<void> {
    if (this.#id === null || paused === this.paused) return;
    await this.#host.call("view_pause", { view: this.#id, paused });
    this.paused = paused;
    this.#changed();
  }

  /** Row index of an event, or of the next one after it. */
  async find(seq: number): Promise<number | null> {
    if (this.#id === null) return null;
    return (await this.#host.call("view_find", { view: this.#id, seq })).index;
  }

  /** Row index of the nearest event beside a place that matches a condition, too; null when there is none. */
  async findNext(condition: string, seq: number, step: 1 | -1): Promise<number | null> {
    if (this.#id === null) return null;
    return (await this.#host.call("view_find_next", { view: this.#id, condition, seq, back: step < 0 })).index;
  }

  /** Row index of a turn in a view of turns, and whether there is such a turn at all. */
  async findTurn(turn: TurnId): Promise<FoundTurn> {
    if (this.#id === null) return { index: null, exists: false };
    return this.#host.call("view_find_turn", { view: this.#id, turn });
  }

  /** At most one request is under way; what changed meanwhile is asked once, with the latest wish. */
  #ask(): void {
    this.#dirty = true;
    if (this.#sending || this.#id === null) return;
    this.#dirty = false;
    this.#sending = true;
    const wish = { view: this.#id, first: this.#asked.first, count: this.#asked.count, follow: this.following };
    void this.#host
      .call("view_window", wish)
      .catch((thrown: unknown) => this.#refused(wish.view, thrown))
      .finally(() => {
        this.#sending = false;
        if (this.#dirty) this.#ask();
      });
  }

  #receive(frame: Frame): void {
    this.#pending = frame;
    this.#owed.push(frame.serial);
    this.#refresh();
  }

  #refresh(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#schedule(() => {
      this.#scheduled = false;
      this.#draw();
      this.#acknowledge();
      if (this.#owed.length > 0) this.#refresh();
    });
  }

  #draw(): void {
    const drawn = this.#pending;
    if (!drawn) return;
    this.#pending = null;
    keepSame(this.frame?.rows ?? [], drawn.rows, ({ seq }) => seq);
    keepSame(this.frame?.turns ?? [], drawn.turns, ({ turn }) => turn);
    this.frame = drawn;
    if (!this.following) this.#lengthAtUnpin ??= drawn.length;
    this.#changed();
  }

  /** One a refresh, also when two frames came in one: acknowledged together they would call for two more. */
  #acknowledge(): void {
    const serial = this.#owed.shift();
    if (serial === undefined || this.#id === null) return;
    const view = this.#id;
    this.#host.call("view_ack", { view, serial }).catch((thrown: unknown) => this.#refused(view, thrown));
  }

  /** A view that was closed meanwhile has nothing to show; what else goes wrong stops the frames, and the window says so. */
  #refused(view: number, thrown: unknown): void {
    if (view === this.#id) throw thrown;
  }

  #drop(view: number): void {
    // A view that the backend does not know is closed already, which is all that was asked.
    this.#host.call("view_close", { view }).catch(() => undefined);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
