/** Plays a turn on its own clock: x1 and x10 follow the time of the turn, `step` goes from chunk to chunk. */

export type Speed = 1 | 10 | "step";

/** The longest jump of one frame: a window that slept must not skip what it did not draw. */
const LONGEST_FRAME_MS = 100;

export class Playback {
  #at = 0;
  #last: number | null = null;

  /** Begins at this time of the turn. */
  start(atMs: number): void {
    this.#at = atMs;
    this.#last = null;
  }

  /** The time of the turn at this frame; `now` is the frame's time stamp. */
  frame(now: number, speed: 1 | 10): number {
    const passed = this.#last === null ? 0 : Math.min(LONGEST_FRAME_MS, Math.max(0, now - this.#last));
    this.#last = now;
    this.#at += passed * speed;
    return this.#at;
  }
}
