/** Characters that a person cannot see, made visible: one glyph each, so that offsets stay readable. */

const NAMED: Record<string, string> = {
  "\n": "⏎",
  "\r": "␍",
  "\t": "→",
  "\u00a0": "⍽",
  "\u200b": "∅",
  "\u200d": "⁀",
  "\u2028": "↵",
  "\u2029": "¶",
  "\ufeff": "⊙",
  "\u007f": "␡",
};

const NAMES: Record<string, string> = {
  "\n": "line feed",
  "\r": "carriage return",
  "\t": "tab",
  " ": "space",
  "\u00a0": "no-break space",
  "\u200b": "zero-width space",
  "\u200d": "zero-width joiner",
  "\u2028": "line separator",
  "\u2029": "paragraph separator",
  "\ufeff": "byte order mark",
};

// The joiner is left out: it holds an emoji together, and a glyph would tear it apart.
// eslint-disable-next-line no-control-regex
const INVISIBLE = /[\u0000-\u001f\u007f\u00a0\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/;

/** Whether this character is shown as a glyph. */
export function isInvisible(character: string): boolean {
  return INVISIBLE.test(character);
}

/** The glyph of an invisible character. */
export function glyphOf(character: string): string {
  const named = NAMED[character];
  if (named !== undefined) return named;
  const code = character.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : "�";
}

/** Its name for a tooltip and a screen reader, such as `line feed` or `U+0007`. */
export function nameOf(character: string): string {
  return NAMES[character] ?? `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** A piece of text that is either plain or one invisible character. */
export interface Piece {
  text: string;
  /** The character behind the glyph; `null` for plain text. */
  control: string | null;
}

/**
 * Splits text into plain runs and glyphs. A space at the end of a run that is about to break, or several in
 * a row, would be invisible too: spaces become `·` where `spaces` is set.
 */
export function pieces(text: string, spaces = false): Piece[] {
  const found: Piece[] = [];
  let plain = "";
  for (const character of text) {
    if (isInvisible(character) || (spaces && character === " ")) {
      if (plain !== "") found.push({ text: plain, control: null });
      plain = "";
      found.push({ text: character === " " ? "·" : glyphOf(character), control: character });
    } else {
      plain += character;
    }
  }
  if (plain !== "") found.push({ text: plain, control: null });
  return found;
}
