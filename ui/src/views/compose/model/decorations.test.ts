import { describe, expect, it } from "vitest";
import type { Lint } from "../../../generated/wire";
import { ByteText } from "../../../store/text";
import { fixAt, marksOf, squigglesOf } from "./decorations";

const text = new ByteText("👍 <react/>\nü <x>");

function lint(span: [number, number], fix: [number, number] | null = null): Lint {
  return {
    diagnostic: { code: "missing-attribute", severity: "error", span, message: "m", fix: fix && { span: fix, text: "!", title: "t" } },
    line: 1, column: 1, end_line: 1, end_column: 1, explanation: "e",
  };
}

describe("decorations", () => {
  it("point at the text that the bytes are", () => {
    const marks = marksOf(text, [
      { span: [0, 5], fate: "show", reason: null },
      { span: [5, 13], fate: "strip", reason: "bare_directive" },
      { span: [13, 14], fate: "show", reason: "joined_space", as: "\n" },
      { span: [14, 17], fate: "drop", reason: "text_in_block" },
    ]);
    expect(marks.map((m) => [text.text.slice(m.from, m.to), m.look, m.title])).toEqual([
      ["<react/>", "cm-stripped", "stripped: bare_directive"],
      ["ü ", "cm-dropped", "dropped: text_in_block"],
    ]);
  });

  it("do not strike white space, which would look like a dash", () => {
    const marks = marksOf(new ByteText("fit. <react/>"), [{ span: [4, 5], fate: "drop", reason: "joined_space" }, { span: [5, 13], fate: "strip", reason: "bare_directive" }]);
    expect(marks.map((m) => m.look)).toEqual(["cm-dropped-blank", "cm-stripped"]);
  });

  it("join neighbours with one reason, not those with two", () => {
    const marks = marksOf(new ByteText("abcdef"), [
      { span: [0, 2], fate: "strip", reason: "header" },
      { span: [2, 4], fate: "strip", reason: "header" },
      { span: [4, 6], fate: "strip", reason: "marker" },
    ]);
    expect(marks.map((m) => [m.from, m.to])).toEqual([
      [0, 4],
      [4, 6],
    ]);
  });
});

describe("squiggles", () => {
  it("are in order and can be seen even where the span is empty", () => {
    const found = squigglesOf(text, [lint([17, 17]), lint([5, 13], [5, 5])]);
    expect(found.map((s) => text.text.slice(s.from, s.to))).toEqual(["<react/>", "<"]);
    expect(found[0]?.fix).toEqual({ from: 3, to: 3, insert: "!", title: "t" });
    const end = squigglesOf(new ByteText("ab"), [lint([2, 2])]);
    expect([end[0]?.from, end[0]?.to]).toEqual([1, 2]);
  });

  it("offer the fix under the cursor, else the next, else the first", () => {
    const found = squigglesOf(new ByteText("0123456789"), [lint([1, 3], [1, 3]), lint([4, 5]), lint([6, 8], [6, 8])]);
    expect([2, 4, 9].map((cursor) => fixAt(found, cursor)?.from)).toEqual([1, 6, 1]);
    expect(fixAt([], 0)).toBeNull();
  });
});
