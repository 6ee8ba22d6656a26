/** Ranks what a person may mean. Every word must be found; earlier and at the beginning of words is better. */

const fold = (text: string): string => text.toLowerCase().normalize("NFKD");

/** 0: no match. Higher is better; the title counts more than the words beside it. */
export function score(query: string, title: string, beside = ""): number {
  const [sought, name, more] = [fold(query).trim(), fold(title), fold(beside)];
  if (sought === "") return 1;
  if (name.startsWith(sought)) return 1000 - name.length;
  let total = 0;
  for (const word of sought.split(/\s+/)) {
    const at = name.indexOf(word);
    if (at >= 0) total += at === 0 || /\W/.test(name[at - 1] ?? "") ? 100 : 20;
    else if (more.includes(word)) total += 5;
    else return 0;
  }
  return total - name.length / 100;
}

/** The matches, best first; equals keep their order. */
export function ranked<T>(query: string, items: readonly T[], words: (item: T) => readonly [string, string]): T[] {
  return items
    .map((item) => ({ item, score: score(query, ...words(item)) }))
    .filter((each) => each.score > 0)
    .sort((a, b) => b.score - a.score)
    .map((each) => each.item);
}
