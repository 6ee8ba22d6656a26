/** What a voice note needs besides its element. */

/** Bytes that came in base64. */
export function decode(base64: string): Uint8Array<ArrayBuffer> {
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let index = 0; index < letters.length; index += 1) bytes[index] = letters.charCodeAt(index);
  return bytes;
}

/** A peak below this, in hundredths of what a sample can hold, is silence, and drawn as it. */
const QUIET = 5;

/** How high each bar of a note is drawn, in hundredths. The shape is what one looks for: a quiet note fills the height as
 * a loud one does, and silence stays flat. */
export function heights(peaks: readonly number[]): number[] {
  const loudest = Math.max(QUIET, ...peaks);
  return peaks.map((peak) => Math.max((100 * peak) / loudest, 6));
}

/** Seconds as a player writes them: 0:07, 12:30. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** One note at a time: where another begins, the one before is paused. */
export const Listening = {
  owner: null as unknown,
  pause: (): void => undefined,
  begin(owner: unknown, pause: () => void): void {
    if (this.owner !== null && this.owner !== owner) this.pause();
    [this.owner, this.pause] = [owner, pause];
  },
  stop(owner: unknown): void {
    if (this.owner === owner) [this.owner, this.pause] = [null, () => undefined];
  },
};
