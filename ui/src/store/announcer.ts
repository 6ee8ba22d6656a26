/** What a screen reader is told: politely, at most every five seconds, and then only the latest. */
export const QUIET_MS = 5000;

/** Time, injected, so that tests need not wait. */
export interface Timer {
  now(): number;
  after(ms: number, run: () => void): void;
}

export const realTimer: Timer = {
  now: () => performance.now(),
  after: (ms, run) => void setTimeout(run, ms),
};

export class Announcer {
  readonly #say: (text: string) => void;
  readonly #timer: Timer;
  #next: string | null = null;
  #last = Number.NEGATIVE_INFINITY;
  #armed = false;

  constructor(say: (text: string) => void, timer: Timer = realTimer) {
    this.#say = say;
    this.#timer = timer;
  }

  announce(text: string): void {
    this.#next = text;
    if (this.#armed) return;
    const wait = this.#last + QUIET_MS - this.#timer.now();
    if (wait <= 0) return this.#speak();
    this.#armed = true;
    this.#timer.after(wait, () => {
      this.#armed = false;
      this.#speak();
    });
  }

  #speak(): void {
    if (this.#next === null) return;
    this.#last = this.#timer.now();
    this.#say(this.#next);
    this.#next = null;
  }
}
