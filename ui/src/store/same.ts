/** What two frames have in common, so that what is made of a row is made once: over the boundary every row is a new object. */

/** Whether two values that came as JSON are equal. Allocates nothing: it is asked of every row in every frame. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const [some, others] = [one as Readonly<Record<string, unknown>>, other as Readonly<Record<string, unknown>>];
  let more = 0;
  for (const key in some) {
    if (!isSame(some[key], others[key])) return false;
    more += 1;
  }
  for (const _ in others) more -= 1;
  return more === 0;
}

/** Puts the rows of the last frame in place of the equal ones of the next; both ascend by the number of a row. */
export function keepSame<T>(last: readonly T[], next: T[], numberOf: (row: T) => number): void {
  let from = 0;
  for (let at = 0; at < next.length; at += 1) {
    const row = next[at] as T;
    const number = numberOf(row);
    while (from < last.length && numberOf(last[from] as T) < number) from += 1;
    const before = last[from];
    if (before === undefined) return;
    if (isSame(before, row)) next[at] = before;
  }
}
