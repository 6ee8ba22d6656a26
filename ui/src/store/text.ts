/** Byte offsets, as the backend counts, in a page that counts UTF-16 code units. */

const encoder = new TextEncoder();

/** A text that can be addressed by UTF-8 byte. */
export class ByteText {
  readonly text: string;
  /** Length in bytes. */
  readonly bytes: number;
  /** Byte offset of every code unit and of the end; absent where bytes and units are the same. */
  readonly #starts: Uint32Array | null;

  constructor(text: string) {
    this.text = text;
    if (/^[\x00-\x7f]*$/.test(text)) {
      this.#starts = null;
      this.bytes = text.length;
      return;
    }
    const starts = new Uint32Array(text.length + 1);
    let at = 0;
    for (let i = 0; i < text.length; i += 1) {
      starts[i] = at;
      const unit = text.charCodeAt(i);
      if (unit < 0x80) at += 1;
      else if (unit < 0x800) at += 2;
      else if (unit >= 0xd800 && unit <= 0xdbff && i + 1 < text.length) {
        // The second half of a pair lies inside its character: it counts as the character's start.
        starts[i + 1] = at;
        at += 4;
        i += 1;
      } else at += 3;
    }
    starts[text.length] = at;
    this.#starts = starts;
    this.bytes = at;
  }

  /** The code unit at which this byte's character begins; the end for bytes beyond it. */
  unit(byte: number): number {
    const starts = this.#starts;
    if (!starts) return Math.min(Math.max(byte, 0), this.text.length);
    let low = 0;
    let high = this.text.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= byte) low = middle;
      else high = middle - 1;
    }
    // Of a pair take the first half.
    return low > 0 && starts[low] === starts[low - 1] ? low - 1 : low;
  }

  /** The byte at which this code unit begins. */
  byte(unit: number): number {
    const clamped = Math.min(Math.max(unit, 0), this.text.length);
    return this.#starts?.[clamped] ?? clamped;
  }

  /** The text of a byte range. */
  slice([start, end]: readonly [number, number]): string {
    return this.text.slice(this.unit(start), this.unit(end));
  }
}

/** Length of a text in UTF-8 bytes. */
export const byteLength = (text: string): number => encoder.encode(text).length;
