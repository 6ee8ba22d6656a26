/**
 * How wide a text is at most, without asking the page to lay it out. An element that cuts its text off is a layer of its
 * own in the engine; of ten in a row, drawn in every frame, nearly all hold texts that fit, and need to be none.
 */

/** Em of a character of the monospaced font, which is 12 px where the text is 13. */
const MONO = 0.602 * (12 / 13);
/** Em that no character exceeds which is not measured: ideographs and pictures are one em, two for their two halves. */
const WIDEST = 1.1;
const FIRST = 32;
const LAST = 126;
/** Letters with accents, dashes, quotation marks and the ellipsis: each is one glyph beside others. */
const BEYOND_ASCII = /[\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2030-\u203a\u20ac\u2122]/;

let measured: Float64Array | null = null;
/** Em of characters beyond ASCII, measured when they are first met. */
const beyond = new Map<number, number>();

/** Em of each ASCII character in the font of the page; null while the font is on its way, or where nothing can be measured. */
function measure(): Float64Array | null {
  if (measured !== null) return measured;
  if (!("fonts" in document) || document.fonts.status !== "loaded") return null;
  const context = drawing();
  if (context === null) return null;
  const widths = Float64Array.from({ length: LAST + 1 - FIRST }, (_, at) => context.measureText(String.fromCharCode(FIRST + at)).width / 100);
  return (measured = widths);
}

/** Where a text of 100 px in the font of the page can be measured. */
function drawing(): CanvasRenderingContext2D | null {
  const context = document.createElement("canvas").getContext("2d");
  if (context !== null) context.font = `100px ${getComputedStyle(document.body).fontFamily}`;
  return context;
}

/** Em of a character; null for one that cannot be measured, or only together with others. */
function widthOf(code: number, isMono: boolean, widths: Float64Array | null): number | null {
  if (code >= FIRST && code <= LAST) return isMono ? MONO : (widths?.[code - FIRST] ?? null);
  const character = String.fromCharCode(code);
  if (isMono || widths === null || !BEYOND_ASCII.test(character)) return null;
  const known = beyond.get(code);
  if (known !== undefined) return known;
  const width = drawing()?.measureText(character).width;
  if (width === undefined) return null;
  beyond.set(code, width / 100);
  return width / 100;
}

/** True once the font is here: what was told before is wider than it need be. */
export const isMeasured = (): boolean => measured !== null;

/** Em that a text takes at most. */
export function textWidth(text: string, isMono: boolean): number {
  const widths = isMono ? null : measure();
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum += widthOf(text.charCodeAt(at), isMono, widths) ?? WIDEST;
  return sum;
}

/**
 * The start of a text that fits a width, with an ellipsis, both in px at this em; the whole text where it fits. Null where
 * that cannot be told, for characters that are not measured: the page has to cut those off.
 */
export function fitText(text: string, isMono: boolean, em: number, width: number): string | null {
  if (em * textWidth(text, isMono) <= width) return text;
  const widths = isMono ? null : measure();
  if (widths === null && !isMono) return null;
  // Three periods are as wide as an ellipsis in a proportional font, or wider.
  let room = width / em - (isMono ? MONO : textWidth("...", false));
  let end = 0;
  for (; end < text.length; end++) {
    const own = widthOf(text.charCodeAt(end), isMono, widths);
    if (own === null) return null;
    room -= own;
    if (room < 0) break;
  }
  return `${text.slice(0, end).trimEnd()}…`;
}
