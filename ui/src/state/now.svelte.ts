/** How often a clock moves on that shows seconds. */
export const SECOND_MS = 1000;

/** The wall clock as a rune, for countdowns: ticks only while somebody looks. */
export class Now {
  ms = $state(Date.now());

  /** Ticks until the answer is called. Call inside an effect. */
  tick(everyMs = 250): () => void {
    this.ms = Date.now();
    const timer = setInterval(() => (this.ms = Date.now()), everyMs);
    return () => clearInterval(timer);
  }
}
