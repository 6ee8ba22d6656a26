/** Completion of commands in what the user writes: the rows come from the backend, which reads them from one table. */
import type { CatalogEntry } from "../../generated/wire";

/** Most commands that are offered at once. */
const MOST = 8;

/** The word that is being written behind a slash, at the start of the message or behind white space, up to the cursor. */
export function slashWord(text: string, cursor: number): string | null {
  const found = /(?:^|\s)(\/[a-z0-9_]*)$/i.exec(text.slice(0, cursor));
  return found?.[1] ?? null;
}

/** The commands that begin with what is written; none where one is written out. */
export function offered(commands: readonly CatalogEntry[], text: string, cursor: number): readonly CatalogEntry[] {
  const word = slashWord(text, cursor)?.toLowerCase();
  if (word === undefined) return [];
  const begin = commands.filter((command) => command.code.startsWith(word));
  return begin.length === 1 && begin[0]?.code === word ? [] : begin.slice(0, MOST);
}

/** The text with a command in the place of the word before the cursor, and where the cursor stands then. */
export function completed(text: string, cursor: number, command: CatalogEntry): { from: number; insert: string; cursor: number } {
  const from = cursor - (slashWord(text, cursor)?.length ?? 0);
  const insert = /^\s/.test(text.slice(cursor)) ? command.code : `${command.code} `;
  return { from, insert, cursor: from + insert.length };
}
