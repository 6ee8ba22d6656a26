import { describe, expect, it } from "vitest";
import type { Chunk } from "../../../generated/wire";
import { ByteText } from "../../../store/text";
import { cellsOf } from "./cells";
import { rowOfByte, rowSpan, splitRows, startsChunk } from "./rows";
import { segmentsOf } from "./segments";

const encoder = new TextEncoder();

function cut(...texts: string[]): { raw: ByteText; chunks: Chunk[] } {
  let byte = 0;
  const chunks = texts.map((text, i): Chunk => {
    const start = byte;
    byte += encoder.encode(text).length;
    return { seq: i + 1, at_ms: i * 40, span: [start, byte] };
  });
  return { raw: new ByteText(texts.join("")), chunks };
}

function texts(raw: ByteText, rows: ReturnType<typeof splitRows>): string[] {
  return Array.from({ length: rows.length }, (_, i) => raw.slice(rowSpan(rows, i)));
}

describe("rows of raw text", () => {
  it("begin with a chunk, after a line break and at the edge of the pane", () => {
    const { raw, chunks } = cut("ab\ncd", "e", "x".repeat(20));
    const rows = splitRows(raw, chunks, 16);
    expect(texts(raw, rows)).toEqual(["ab\n", "cd", "e", "x".repeat(16), "xxxx"]);
    expect(Array.from({ length: 5 }, (_, i) => startsChunk(rows, i))).toEqual([true, false, true, true, false]);
    expect([...rows.chunks]).toEqual([0, 0, 1, 2, 2]);
  });

  it("have no empty row after a chunk that ends in a line break", () => {
    const { raw, chunks } = cut("a\n", "b\n");
    expect(texts(raw, splitRows(raw, chunks, 80))).toEqual(["a\n", "b\n"]);
  });

  it("count wide characters as two columns and never cut one", () => {
    const { raw, chunks } = cut("漢".repeat(9));
    expect(texts(raw, splitRows(raw, chunks, 16))).toEqual(["漢".repeat(8), "漢"]);
    const faces = cut("👍".repeat(9));
    expect(texts(faces.raw, splitRows(faces.raw, faces.chunks, 17))).toEqual(["👍".repeat(8), "👍"]);
  });

  it("break after a blank rather than in a word, unless the word is long", () => {
    const prose = cut("one two three four five six");
    expect(texts(prose.raw, splitRows(prose.raw, prose.chunks, 20))).toEqual(["one two three four ", "five six"]);
    const path = cut(`a ${"x".repeat(30)}`);
    expect(texts(path.raw, splitRows(path.raw, path.chunks, 20))).toEqual([`a ${"x".repeat(18)}`, "x".repeat(12)]);
    const exact = cut("0123456789 123456789 x");
    expect(texts(exact.raw, splitRows(exact.raw, exact.chunks, 20)).join("")).toBe("0123456789 123456789 x");
  });

  it("leave out chunks without text", () => {
    const { raw, chunks } = cut("a", "", "b");
    const rows = splitRows(raw, chunks, 80);
    expect([...rows.chunks]).toEqual([0, 2]);
  });

  it("are found by byte", () => {
    const { raw, chunks } = cut("a€\n", "bc");
    const rows = splitRows(raw, chunks, 80);
    expect([0, 1, 4, 5, 6, 7].map((b) => rowOfByte(rows, b))).toEqual([0, 0, 0, 1, 1, 1]);
  });

  it("are none for no text", () => {
    const rows = splitRows(new ByteText(""), [], 80);
    expect(rows.length).toBe(0);
    expect(rowOfByte(rows, 0)).toBe(0);
  });

  it("cover a megabyte that came byte by byte", () => {
    const raw = new ByteText("x".repeat(1_000_000));
    const chunks = Array.from({ length: 1_000_000 }, (_, i): Chunk => ({ seq: i, at_ms: i, span: [i, i + 1] }));
    const rows = splitRows(raw, chunks, 80);
    expect(rows.length).toBe(1_000_000);
    expect(rowSpan(rows, 999_999)).toEqual([999_999, 1_000_000]);
  });
});

describe("segments of a row", () => {
  const raw = new ByteText("<react/>\nhi \n");
  const cells = cellsOf({
    total: 13,
    came: 13,
    ranges: [
      { span: [0, 9], fate: "strip", reason: "bare_directive" },
      { span: [9, 11], fate: "show", reason: null },
    ],
    hold: { span: [11, 13], reason: "trailing_space", rule: "", because: "", releases: "" },
  });

  it("follow the cells and show what cannot be seen", () => {
    expect(segmentsOf(raw, cells, [0, 9]).map((s) => [s.fate, s.pieces.map((p) => p.text)])).toEqual([["strip", ["<react/>", "LF"]]]);
    expect(segmentsOf(raw, cells, [9, 13]).map((s) => [s.fate, s.pieces.map((p) => p.text).join("")])).toEqual([
      ["show", "hi"],
      ["held", "·LF"],
    ]);
  });

  it("are cut where a mark begins or ends", () => {
    const runs = segmentsOf(raw, cells, [0, 9], [1, 6, 20]).map((s) => s.pieces.map((p) => p.text).join(""));
    expect(runs).toEqual(["<", "react", "/>LF"]);
  });

  it("leave spaces between words alone, and show those before a break", () => {
    const prose = new ByteText("a b  \n");
    const shown = cellsOf({ total: 6, came: 6, ranges: [{ span: [0, 6], fate: "show", reason: null }], hold: null });
    expect(segmentsOf(prose, shown, [0, 6])[0]?.pieces.map((p) => p.text).join("")).toBe("a b··LF");
  });
});
