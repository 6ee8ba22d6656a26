/** What went wrong on a channel lately, as its card tells it. */
import type { ChannelError } from "../../generated/wire";

/** Kinds of errors a card has room for; the journal has them all. */
const KINDS = 3;

/** An error and how often it came, in its latest form. */
export interface Trouble {
  readonly latest: ChannelError;
  readonly times: number;
}

/** The errors with equal ones told once, the one that came last first. */
export function troubles(errors: readonly ChannelError[]): Trouble[] {
  const kinds = new Map<string, Trouble>();
  // The newest comes first: of equal ones it is the one that is kept.
  for (const error of errors) {
    const kind = `${error.message}\n${error.hint ?? ""}`;
    const known = kinds.get(kind);
    kinds.set(kind, { latest: known?.latest ?? error, times: (known?.times ?? 0) + 1 });
  }
  return [...kinds.values()].slice(0, KINDS);
}
