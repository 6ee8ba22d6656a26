import type { TurnId } from "../generated/wire";

/**
 * The turns that a person marked, to be exported together. An event is marked with its turn, since only whole turns leave
 * the journal; so a mark is there in every depth of Live, and under every filter.
 */
export class Marks {
  /** Replaced whole with every change. */
  turns = $state.raw<ReadonlySet<TurnId>>(new Set());

  add(turns: Iterable<TurnId>): void {
    this.turns = new Set([...this.turns, ...turns]);
  }

  /** Takes the mark of a turn away, or gives it one; the answer is whether it has one now. */
  toggle(turn: TurnId): boolean {
    const turns = new Set(this.turns);
    const marked = !turns.delete(turn);
    if (marked) turns.add(turn);
    this.turns = turns;
    return marked;
  }

  clear(): void {
    this.turns = new Set();
  }

  /** The numbers of the turns, ascending. */
  get sorted(): readonly TurnId[] {
    return [...this.turns].sort((a, b) => a - b);
  }
}
