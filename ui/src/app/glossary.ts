/** The words of the window, each with its meaning, from the page that explains them. */
import page from "../../../docs/glossary.md?raw";

export interface Word {
  readonly word: string;
  readonly meaning: string;
}

export interface WordGroup {
  readonly title: string;
  readonly words: readonly Word[];
}

/** The groups of a page: each heading of the second level, with the rows of its table. */
export function readGlossary(markdown: string): WordGroup[] {
  const [, ...sections] = markdown.split(/^## /m);
  return sections.map((section) => {
    const [title = "", ...lines] = section.split("\n");
    const rows = lines.filter((line) => line.startsWith("| ")).slice(1);
    const words = rows.map((row) => {
      const [word = "", meaning = ""] = row.replace(/^\| | \|$/g, "").split(" | ");
      return { word, meaning };
    });
    return { title, words };
  });
}

export const glossary: readonly WordGroup[] = readGlossary(page);

const meanings = new Map(glossary.flatMap(({ words }) => words.map(({ word, meaning }) => [word, meaning.replaceAll("`", "")] as const)));

/** The meaning of a word, in the singular or the plural; `null` where the glossary has none. */
export function meaningOf(word: string): string | null {
  const known = word.toLowerCase();
  return meanings.get(known) ?? meanings.get(known.replace(/s$/, "")) ?? null;
}
