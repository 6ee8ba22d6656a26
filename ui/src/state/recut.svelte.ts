import type { RecutProgress, RecutResult, RecutStarted, Specimen } from "../generated/wire";
import { HostFailure, type Host } from "../host/host";

/** One run of the re-cut fuzzer: what is cut, how far it is, what came of it. */
export class Recut {
  readonly #host: Host;
  /** What is cut, once the backend says so. */
  started = $state.raw<RecutStarted | null>(null);
  done = $state(0);
  result = $state.raw<RecutResult | null>(null);
  failure = $state.raw<HostFailure | null>(null);
  /** Counts the runs asked for: the answer to an earlier one is not this one's. */
  #asked = 0;
  /** Progress that came before the answer which names the run. */
  #early: RecutProgress[] = [];

  constructor(host: Host) {
    this.#host = host;
  }

  /** Begins a run, in place of one that goes on. */
  async start(specimen: Specimen): Promise<void> {
    this.stop();
    this.#asked += 1;
    const asked = this.#asked;
    [this.started, this.done, this.result, this.failure, this.#early] = [null, 0, null, null, []];
    try {
      const started = await this.#host.call("recut", { specimen });
      // Nobody waits for it any more.
      if (asked !== this.#asked) return void this.#cancel(started.run);
      this.started = started;
      for (const progress of this.#early.splice(0)) this.hear(progress);
    } catch (thrown) {
      if (asked === this.#asked) this.failure = HostFailure.from(thrown);
    }
  }

  /** Stops the run; its result says how far it came. */
  stop(): void {
    if (this.started !== null && this.result === null) this.#cancel(this.started.run);
  }

  /** Stops the run and forgets it. */
  leave(): void {
    this.stop();
    this.#asked += 1;
    this.started = null;
  }

  hear(progress: RecutProgress): void {
    if (this.started === null) {
      this.#early.push(progress);
      return;
    }
    if (progress.run !== this.started.run) return;
    this.done = progress.done;
    this.result = progress.result;
  }

  #cancel(run: number): void {
    // A run that ended meanwhile cannot be stopped, and need not be.
    this.#host.call("recut_cancel", { run }).catch(() => undefined);
  }
}
