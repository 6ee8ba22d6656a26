/** Characters that nobody sees, made visible by parts/Sign.svelte. Each is called by letters that every font has. */
import { INVISIBLE, JOINING, PICTOGRAPHS, SKIN_TONES } from "../generated/invisible";

const C0 = "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(" ");

const LABELS: ReadonlyMap<string, string> = new Map([
  ...C0.map((label, code) => [String.fromCharCode(code), label] as const),
  [" ", "·"],
  ["\u007f", "DEL"],
  ["\u00a0", "NBSP"],
  ["\u00ad", "SHY"],
  ["\u200b", "ZWSP"],
  ["\u200e", "LRM"],
  ["\u200f", "RLM"],
  ["\u2028", "LS"],
  ["\u2029", "PS"],
  ["\u202a", "LRE"],
  ["\u202b", "RLE"],
  ["\u202c", "PDF"],
  ["\u202d", "LRO"],
  ["\u202e", "RLO"],
  ["\u2060", "WJ"],
  ["\u2066", "LRI"],
  ["\u2067", "RLI"],
  ["\u2068", "FSI"],
  ["\u2069", "PDI"],
  ["\ufeff", "BOM"],
]);

const NAMES: Readonly<Record<string, string>> = {
  "\n": "line feed",
  "\r": "carriage return",
  "\t": "tab",
  " ": "space",
  "\u00a0": "no-break space",
  "\u00ad": "soft hyphen",
  "\u200b": "zero-width space",
  "\u2028": "line separator",
  "\u2029": "paragraph separator",
  "\u202e": "right-to-left override",
  "\ufeff": "byte order mark",
};

const range = ([first, last]: readonly [number, number]): string => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`;
const CLASS = `\\u{0}-\\u{1f}\\u{7f}-\\u{a0}${INVISIBLE.map(range).join("")}`;
const only = (ranges: typeof INVISIBLE): RegExp => new RegExp(`^[${ranges.map(range).join("")}]$`, "u");
const PICTOGRAPH = only(PICTOGRAPHS);
const SKIN_TONE = only(SKIN_TONES);
const OF_JOINING_SCRIPT = only(JOINING);
const MARKED = new RegExp(`[${CLASS}]`, "u");

/** Joiners and variation selectors hold words and emoji together, where a mark would tear them apart. */
const JOINER = /[\u200c\u200d\ufe0e\ufe0f]/;
const SELECTOR = /[\ufe0e\ufe0f]/;

/** The same without joiners and variation selectors, for an editor that sees one character at a time. */
export const MARKED_ALONE = new RegExp(`(?!${JOINER.source})[${CLASS}]`, "u");

/** True where an invisible character has an effect between its neighbours, by the rules of the backend. */
function joins(characters: readonly string[], at: number): boolean {
  const [before, character, after] = [characters[at - 1] ?? "", characters[at] ?? "", characters[at + 1] ?? ""];
  if (!JOINER.test(character)) return false;
  if (SELECTOR.test(character)) return PICTOGRAPH.test(before) || (/^[0-9#*]$/.test(before) && after === "\u20e3");
  const dressed = SKIN_TONE.test(before) || (SELECTOR.test(before) && PICTOGRAPH.test(characters[at - 2] ?? ""));
  if (dressed || PICTOGRAPH.test(before)) return character === "\u200d" && PICTOGRAPH.test(after);
  return OF_JOINING_SCRIPT.test(before) && OF_JOINING_SCRIPT.test(after) && !MARKED.test(before) && !MARKED.test(after);
}

/** What stands in place of an invisible character: `LF`, `ESC`, `U+0085`. */
export function labelOf(character: string): string {
  return LABELS.get(character) ?? pointOf(character);
}

/** Its name for a tooltip, such as `line feed` or `U+0007`. */
export function nameOf(character: string): string {
  return NAMES[character] ?? pointOf(character);
}

const pointOf = (character: string): string => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Columns of a monospaced font that the mark of this character takes; 0 for one that needs no mark. */
export function columnsOf(point: number): number {
  if (point >= 0x20 && point < 0x7f) return 0;
  const character = String.fromCodePoint(point);
  if (!MARKED_ALONE.test(character)) return 0;
  return "\n\r\t\u00a0".includes(character) ? 1 : labelOf(character).length;
}

/** A piece of text that is either plain or one invisible character. */
export interface Piece {
  /** The text itself, or the label of the character. */
  readonly text: string;
  /** The character behind the mark; `null` for plain text. */
  readonly control: string | null;
}

/** Splits text into plain runs and invisible characters; where `spaces` is set, every space is one of them. */
export function pieces(text: string, spaces = false): Piece[] {
  if (text === "") return [];
  if (!MARKED.test(text) && !(spaces && text.includes(" "))) return [{ text, control: null }];
  const characters = Array.from(text);
  const found: Piece[] = [];
  let plain = "";
  for (const [at, character] of characters.entries()) {
    const marked = spaces && character === " " ? true : MARKED.test(character) && !joins(characters, at);
    if (!marked) {
      plain += character;
      continue;
    }
    if (plain !== "") found.push({ text: plain, control: null });
    plain = "";
    found.push({ text: labelOf(character), control: character });
  }
  if (plain !== "") found.push({ text: plain, control: null });
  return found;
}

/**
 * Text as a part of a sentence: invisible characters are written out as `⟨RLO⟩`, and what is not plain ASCII stands
 * between isolates, so that its direction moves none of the words beside it.
 */
export function isolated(text: string): string {
  const shown = pieces(text).map(({ text: piece, control }) => (control === null ? piece : `⟨${piece}⟩`)).join("");
  return /^[\x20-\x7e]*$/.test(shown) ? shown : `\u2068${shown}\u2069`;
}

/** A summary of the journal has Unicode's pictures for control characters, which few fonts have: back to the characters. */
export const unpictured = (summary: string): string =>
  summary.replace(/[\u2400-\u2421]/g, (picture) => (picture === "\u2421" ? "\u007f" : String.fromCharCode(picture.charCodeAt(0) - 0x2400)));

/** The same for a tooltip and for who listens, which draw nothing: a line break is the sign of the key that makes one. */
export const readable = (summary: string): string => summary.replaceAll("\u240a", "↵");

/** A text of several lines as one, for a row that tells what it is about: white space, also as pictures, becomes one space. */
export const inOneLine = (text: string): string => unpictured(text).replace(/\s+/g, " ").trim();
