import type { FixtureCase, FixtureEntry, FixtureProgress, Verdict } from "../generated/wire";
import { HostFailure, type Host } from "../host/host";

/** What a cell of the matrix shows. `waiting`: part of the run that goes on; `none`: not run since the start. */
export type CellState = Verdict | "waiting" | "none" | "not_for_it";

/** A folder of the tree with the fixtures right in it. */
export interface Folder {
  readonly path: string;
  readonly entries: readonly FixtureEntry[];
}

const key = (path: string, channel: string): string => `${path}\n${channel}`;

/** The fixtures, their verdicts and the run that goes on. Lives as long as the window, so a run survives a look elsewhere. */
export class Fixtures {
  readonly #host: Host;
  entries = $state.raw<readonly FixtureEntry[] | null>(null);
  failure = $state.raw<HostFailure | null>(null);
  /** A fixture that another view asks to see; the Fixtures view takes it. */
  asked: string | null = null;
  /** How far the run is, or how far the last one came. */
  progress = $state.raw<{ done: number; cases: number }>({ done: 0, cases: 0 });
  /** The run that goes on. */
  run = $state.raw<{ id: number; done: number; cases: number } | null>(null);
  #cases = $state.raw<ReadonlyMap<string, FixtureCase>>(new Map());
  #waiting = $state.raw<ReadonlySet<string>>(new Set());
  /** Progress that came before the answer which names the run. */
  #early: FixtureProgress[] = [];

  constructor(host: Host) {
    this.#host = host;
  }

  get folders(): readonly Folder[] {
    const folders = new Map<string, FixtureEntry[]>();
    for (const entry of this.entries ?? []) {
      const path = entry.path.includes("/") ? entry.path.slice(0, entry.path.lastIndexOf("/")) : "";
      folders.set(path, [...(folders.get(path) ?? []), entry]);
    }
    return [...folders].map(([path, entries]) => ({ path, entries }));
  }

  /** Every channel that a fixture names, in the order of first naming. */
  get channels(): readonly string[] {
    return [...new Set((this.entries ?? []).flatMap((entry) => entry.channels))];
  }

  /** Every case that has a verdict. */
  get cases(): readonly FixtureCase[] {
    return [...this.#cases.values()];
  }

  case(path: string, channel: string): FixtureCase | undefined {
    return this.#cases.get(key(path, channel));
  }

  state(entry: FixtureEntry, channel: string): CellState {
    if (entry.error !== null) return "error";
    if (!entry.channels.includes(channel)) return "not_for_it";
    if (this.#waiting.has(key(entry.path, channel))) return "waiting";
    return this.case(entry.path, channel)?.verdict ?? "none";
  }

  /** How many cases ended in which way; unreadable fixtures count as errors. */
  get tally(): Readonly<Record<Verdict, number>> & { readonly none: number } {
    const tally = { pass: 0, fail: 0, changed: 0, error: 0, none: 0 };
    for (const entry of this.entries ?? []) {
      if (entry.error !== null) tally.error += 1;
      else for (const channel of entry.channels) tally[this.case(entry.path, channel)?.verdict ?? "none"] += 1;
    }
    return tally;
  }

  async load(): Promise<void> {
    try {
      this.entries = await this.#host.call("fixtures", {});
      this.failure = null;
    } catch (thrown) {
      this.failure = HostFailure.from(thrown);
    }
  }

  /** Runs these fixtures; all when there are none. */
  async start(paths: readonly string[] = []): Promise<void> {
    if (this.run) return;
    this.#early = [];
    const wanted = (this.entries ?? []).filter((e) => e.error === null && (paths.length === 0 || paths.includes(e.path)));
    this.#waiting = new Set(wanted.flatMap((e) => e.channels.map((channel) => key(e.path, channel))));
    // Before the answer, so that a second press does not start a second run.
    this.run = { id: -1, done: 0, cases: this.#waiting.size };
    try {
      const { run, cases } = await this.#host.call("fixture_run", { paths: [...paths] });
      this.run = { id: run, done: 0, cases };
      this.progress = { done: 0, cases };
      const early = this.#early;
      for (const progress of early) this.hear(progress);
    } catch (thrown) {
      this.#end();
      throw thrown;
    }
  }

  async cancel(): Promise<void> {
    if (!this.run || this.run.id < 0) return;
    await this.#host.call("fixture_cancel", { run: this.run.id });
    this.#end();
  }

  hear(progress: FixtureProgress): void {
    if (!this.run) return;
    if (this.run.id < 0) {
      this.#early.push(progress);
      return;
    }
    if (progress.run !== this.run.id) return;
    const cases = new Map(this.#cases);
    const waiting = new Set(this.#waiting);
    for (const ended of progress.ended) {
      cases.set(key(ended.path, ended.channel), ended);
      waiting.delete(key(ended.path, ended.channel));
    }
    this.#cases = cases;
    this.#waiting = waiting;
    this.run = { ...this.run, done: progress.done, cases: progress.cases };
    this.progress = { done: progress.done, cases: progress.cases };
    if (progress.done >= progress.cases) this.#end();
  }

  #end(): void {
    this.run = null;
    this.#waiting = new Set();
  }
}
