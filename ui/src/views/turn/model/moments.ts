/**
 * The turn at any moment, from the backend. Dragging asks for far more moments than can be answered, so one
 * request is in flight, the latest wish wins, and what was answered is kept: the past does not change.
 */
import type { Moment, TurnId } from "../../../generated/wire";
import { Latest } from "../../../store/latest";
import type { Position } from "./timeline";

export type AskMoment = (turn: TurnId, position: Position) => Promise<Moment>;

/** Characters of released text kept in the cache; about 16 MB. */
const BUDGET = 8_000_000;
/** What a moment costs besides its text. */
const BASE = 2_000;

function keyOf({ seq, byte }: Position): string {
  return byte === null ? String(seq) : `${seq}:${byte[0]}:${byte[1]}`;
}

function costOf(moment: Moment): number {
  const tools = moment.tools.reduce((sum, { call }) => sum + (call.arguments?.length ?? 0) + (call.result?.length ?? 0), BASE);
  return moment.messages.reduce((sum, m) => sum + m.released.length + m.ranges.length * 40, tools);
}

export class Moments {
  readonly #kept = new Map<string, Moment>();
  readonly #latest: Latest<Position, Moment>;
  readonly #show: (moment: Moment, position: Position) => void;
  #cost = 0;

  /** `show` is given every moment that arrives, and the position it belongs to. */
  constructor(
    turn: TurnId,
    ask: AskMoment,
    show: (moment: Moment, position: Position) => void,
    fail: (reason: unknown, position: Position) => void,
  ) {
    this.#show = show;
    this.#latest = new Latest(
      (position) => ask(turn, position),
      (moment, position) => {
        this.#keep(keyOf(position), moment);
        show(moment, position);
      },
      fail,
    );
  }

  /** Wishes for a moment. A kept one is shown at once. */
  want(position: Position): void {
    const kept = this.#kept.get(keyOf(position));
    if (kept === undefined) return this.#latest.want(position);
    this.#latest.unwish();
    this.#show(kept, position);
  }

  /** Asks again for what was answered so far. */
  forget(): void {
    this.#kept.clear();
    this.#cost = 0;
  }

  /** Nothing is shown any more. */
  close(): void {
    this.#latest.close();
    this.#kept.clear();
  }

  #keep(key: string, moment: Moment): void {
    this.#kept.set(key, moment);
    this.#cost += costOf(moment);
    for (const [oldest, old] of this.#kept) {
      if (this.#cost <= BUDGET || oldest === key) break;
      this.#kept.delete(oldest);
      this.#cost -= costOf(old);
    }
  }
}
