/**
 * Raw text as rows of one height: one per chunk, more where a chunk holds line breaks or is wider than the
 * pane. A megabyte that came one byte at a time is a million rows, so they are numbers in typed arrays.
 */
import type { Chunk } from "../../../generated/wire";
import { columnsOf } from "../../../store/glyphs";
import type { ByteText } from "../../../store/text";

export interface Rows {
  readonly length: number;
  /** First byte of each row; one more entry closes the last row. */
  readonly starts: Uint32Array;
  /** The chunk each row belongs to. */
  readonly chunks: Uint32Array;
}

/** Narrower panes than this would make more rows than anybody reads. */
const LEAST_COLUMNS = 16;

/** A word longer than this share of a row is cut: it may be no word at all. */
const LONGEST_WORD = 0.3;

/** Whether a character takes two columns of a monospaced font. */
function isWide(point: number): boolean {
  return (
    (point >= 0x1100 && point <= 0x115f) ||
    (point >= 0x2e80 && point <= 0xa4cf) ||
    (point >= 0xac00 && point <= 0xd7a3) ||
    (point >= 0xf900 && point <= 0xfaff) ||
    (point >= 0xfe30 && point <= 0xfe4f) ||
    (point >= 0xff00 && point <= 0xff60) ||
    (point >= 0x1f000 && point <= 0x1faff) ||
    (point >= 0x20000 && point <= 0x3fffd)
  );
}

function bytesOf(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

class Growing {
  #room = new Uint32Array(256);
  length = 0;

  push(value: number): void {
    if (this.length === this.#room.length) {
      const more = new Uint32Array(this.#room.length * 2);
      more.set(this.#room);
      this.#room = more;
    }
    this.#room[this.length++] = value;
  }

  done(): Uint32Array {
    return this.#room.slice(0, this.length);
  }
}

/** Splits `raw` into rows of at most `columns` columns. O(text). */
export function splitRows(raw: ByteText, chunks: readonly Chunk[], columns: number): Rows {
  const widest = Math.max(LEAST_COLUMNS, Math.floor(columns));
  const starts = new Growing();
  const owners = new Growing();
  const text = raw.text;
  let index = 0;
  let byte = 0;
  const row = (start: number, chunk: number): void => {
    starts.push(start);
    owners.push(chunk);
  };
  const cuts: readonly Pick<Chunk, "span">[] = chunks.length > 0 ? chunks : [{ span: [0, raw.bytes] }];
  cuts.forEach((chunk, number) => {
    const end = Math.min(chunk.span[1], raw.bytes);
    if (byte >= end) return;
    row(byte, number);
    let column = 0;
    // Where the row could break instead: after its last blank.
    let blank = { byte: -1, column: 0 };
    while (byte < end && index < text.length) {
      const point = text.codePointAt(index) ?? 0;
      const wide = isWide(point) ? 2 : columnsOf(point) || 1;
      if (column + wide > widest) {
        const word = column - blank.column;
        const whole = blank.byte >= 0 && word <= widest * LONGEST_WORD;
        row(whole ? blank.byte : byte, number);
        column = whole ? word : 0;
        blank = { byte: -1, column: 0 };
      }
      index += point > 0xffff ? 2 : 1;
      byte += bytesOf(point);
      column += wide;
      if (point === 32) blank = { byte, column };
      if (point === 10 && byte < end) {
        row(byte, number);
        column = 0;
        blank = { byte: -1, column: 0 };
      }
    }
  });
  const length = starts.length;
  starts.push(byte);
  return { length, starts: starts.done(), chunks: owners.done() };
}

/** The bytes of a row. */
export function rowSpan(rows: Rows, row: number): [number, number] {
  return [rows.starts[row] ?? 0, rows.starts[row + 1] ?? rows.starts[rows.length] ?? 0];
}

/** Whether a row is the first of its chunk: the one that shows when it came. */
export function startsChunk(rows: Rows, row: number): boolean {
  return row === 0 || rows.chunks[row] !== rows.chunks[row - 1];
}

/** The row that holds `byte`; the last row for a byte at the end. */
export function rowOfByte(rows: Rows, byte: number): number {
  let low = 0;
  let high = Math.max(0, rows.length - 1);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rows.starts[middle] ?? 0) <= byte) low = middle;
    else high = middle - 1;
  }
  return low;
}
