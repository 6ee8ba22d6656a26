import type { EventRow, Failure, Frame, Push, Topic, TurnSummary, Window } from "../generated/wire";
import { HostFailure, type Args, type CommandName, type FileDrag, type Host, type Result, type Unsubscribe } from "./host";

/** One command and its answer, as it was recorded. */
export interface Exchange {
  readonly name: CommandName;
  /** Answers only calls whose arguments have these values; absent: every call. */
  readonly args?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly failure?: Failure;
}

/** A push and what it followed: the start of the page, or a command. */
export interface RecordedPush {
  readonly after: "start" | CommandName;
  readonly after_ms: number;
  readonly push: Push;
}

/** What a backend said, to be played without one: in unit tests, and to look at the page in a plain browser. */
export interface Recording {
  readonly rows: readonly EventRow[];
  readonly calls: readonly Exchange[];
  readonly pushes: readonly RecordedPush[];
}

interface OpenWindow extends Window {
  rows: EventRow[];
  /** Words that its turns have; null in a window over events. */
  turns: readonly string[] | null;
  paused: boolean;
  serial: number;
  acknowledged: number;
  /** Whether something changed that no frame shows, because two are not acknowledged. */
  stale: boolean;
}

/** Plays a {@link Recording}. Windows over its rows are real windows; everything else is answered as recorded. */
export class RecordedHost implements Host {
  readonly #recording: Recording;
  readonly #views = new Map<number, OpenWindow>();
  readonly #subscribers = new Set<{ topic: Topic; onPush: (push: Push) => void }>();
  #nextView = 1;
  /** Every call made, for tests. */
  readonly calls: { name: CommandName; args: unknown }[] = [];

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  async call<K extends CommandName>(name: K, args: Args<K>): Promise<Result<K>> {
    this.calls.push({ name, args });
    // A macrotask later, as over a real boundary.
    await new Promise((resolve) => setTimeout(resolve));
    const answer = this.#view(name, args as Readonly<Record<string, unknown>>) ?? this.#recorded(name, args);
    this.#follow(name);
    return answer as Result<K>;
  }

  subscribe(topic: Topic, onPush: (push: Push) => void): Unsubscribe {
    const subscriber = { topic, onPush };
    this.#subscribers.add(subscriber);
    if (topic.topic === "app") this.#follow("start");
    else this.#draw(topic.view);
    return () => this.#subscribers.delete(subscriber);
  }

  ready(): void {
    // A browser's page is shown already.
  }

  /** The hosts of open files, by number: a recording of each. */
  readonly files = new Map<number, RecordedHost>();
  /** What the system's dialog answers. */
  chosen: readonly string[] = [];
  readonly #draggers = new Set<(drag: FileDrag) => void>();

  workspace(number: number): Host {
    return this.files.get(number) ?? this;
  }

  chooseFiles(): Promise<readonly string[]> {
    return Promise.resolve(this.chosen);
  }

  onDrag(hear: (drag: FileDrag) => void): Unsubscribe {
    this.#draggers.add(hear);
    return () => this.#draggers.delete(hear);
  }

  /** Drags files, as a person does. */
  drag(drag: FileDrag): void {
    for (const hear of this.#draggers) hear(drag);
  }

  /** Appends rows, as a live journal does. */
  append(rows: readonly EventRow[]): void {
    for (const [id, view] of this.#views) {
      for (const row of rows) view.rows.push(row);
      this.#draw(id);
    }
  }

  /** Puts a row at its place, as a hold does that joins a view once it is over. */
  insert(row: EventRow): void {
    for (const [id, view] of this.#views) {
      const at = view.rows.findIndex((known) => known.seq > row.seq);
      view.rows.splice(at < 0 ? view.rows.length : at, 0, row);
      this.#draw(id);
    }
  }

  /** The turns there are, in any order. */
  protected turns(): readonly TurnSummary[] {
    return (this.#exchange("turns", {}, true)?.result ?? []) as TurnSummary[];
  }

  #listed(words: readonly string[]): TurnSummary[] {
    const said = (turn: TurnSummary): string => `#${turn.turn} ${turn.terminal?.state ?? "running"} ${JSON.stringify(turn)}`.toLowerCase();
    return this.turns().filter((turn) => words.every((word) => said(turn).includes(word))).sort((a, b) => a.turn - b.turn);
  }

  /** Pushes to everybody who listens to the app. */
  push(push: Push): void {
    for (const { topic, onPush } of this.#subscribers) if (topic.topic === "app") onPush(push);
  }

  #exchange(name: CommandName, args: unknown, any = false): Exchange | undefined {
    const given = args as Readonly<Record<string, unknown>>;
    const fits = ({ args: wanted = {} }: Exchange): boolean =>
      Object.entries(wanted).every(([key, value]) => JSON.stringify(given[key]) === JSON.stringify(value));
    return this.#recording.calls.find((e) => e.name === name && (any || fits(e)));
  }

  #recorded(name: CommandName, args: unknown): unknown {
    const exchange = this.#exchange(name, args);
    if (exchange?.failure) throw new HostFailure(exchange.failure);
    if (exchange) return structuredClone(exchange.result);
    throw new HostFailure({ code: "not_recorded", message: `This recording has no answer to ${name}.`, hint: null });
  }

  #follow(after: RecordedPush["after"]): void {
    for (const { after: event, after_ms, push } of this.#recording.pushes)
      if (event === after) setTimeout(() => this.push(push), after_ms);
  }

  #view(name: CommandName, args: Readonly<Record<string, unknown>>): unknown {
    if (name === "view_open") {
      if (this.#exchange(name, args)?.failure) return this.#recorded(name, args);
      const words = String(args["filter"]).toLowerCase();
      // The filter language lives in the backend; a recording knows only the substring of a bare word.
      const rows = this.#recording.rows.filter((row) => JSON.stringify(row).toLowerCase().includes(words));
      const view = this.#nextView++;
      const turns = args["rows"] === "turns" ? words.split(/\s+/).filter((word) => word !== "") : null;
      this.#views.set(view, { view, first: 0, count: 50, follow: true, rows, turns, paused: false, serial: 0, acknowledged: 0, stale: false });
      return { view };
    }
    const view = this.#views.get(Number(args["view"]));
    if (!view) return undefined;
    switch (name) {
      case "view_window":
        Object.assign(view, args);
        break;
      case "view_pause":
        view.paused = args["paused"] === true;
        break;
      case "view_ack":
        view.acknowledged = Math.max(view.acknowledged, Number(args["serial"]));
        if (!view.stale) return {};
        break;
      case "view_find": {
        const index = view.rows.findIndex((row) => row.seq >= Number(args["seq"]));
        return { index: index < 0 ? null : index };
      }
      case "view_find_next": {
        const words = String(args["condition"]).toLowerCase();
        const passes = (row: EventRow): boolean => JSON.stringify(row).toLowerCase().includes(words);
        const seq = Number(args["seq"]);
        const index = args["back"] === true
          ? view.rows.findLastIndex((row) => row.seq < seq && passes(row))
          : view.rows.findIndex((row) => row.seq > seq && passes(row));
        return { index: index < 0 ? null : index };
      }
      case "view_find_turn": {
        const index = this.#listed(view.turns ?? []).findIndex(({ turn }) => turn === args["turn"]);
        return { index: index < 0 ? null : index, exists: this.turns().some(({ turn }) => turn === args["turn"]) };
      }
      case "view_close":
        this.#views.delete(view.view);
        return {};
      default:
        return undefined;
    }
    this.#draw(view.view);
    return {};
  }

  #draw(id: number): void {
    const view = this.#views.get(id);
    if (!view) return;
    view.stale = view.serial - view.acknowledged >= 2;
    if (view.stale) return;
    const turns = view.turns && this.#listed(view.turns);
    const length = (turns ?? view.rows).length;
    const first = view.follow ? Math.max(0, length - view.count) : Math.max(0, view.first);
    view.serial += 1;
    const frame: Frame = {
      view: id, serial: view.serial, head: view.rows.at(-1)?.seq ?? 0, length, behind: 0, dropped: 0, scanning: false, first,
      total: turns ? this.turns().length : this.#recording.rows.length,
      rows: turns ? [] : view.rows.slice(first, first + view.count), turns: structuredClone(turns?.slice(first, first + view.count) ?? []),
    };
    queueMicrotask(() => {
      for (const { topic, onPush } of this.#subscribers)
        if (topic.topic === "view" && topic.view === id) onPush({ push: "frame", frame });
    });
  }
}
