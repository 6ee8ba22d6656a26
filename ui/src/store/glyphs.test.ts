import { expect, it } from "vitest";
import { columnsOf, nameOf, pieces, unpictured } from "./glyphs";

const shown = (text: string, spaces = false): string[] => pieces(text, spaces).map((piece) => (piece.control === null ? piece.text : `‹${piece.text}›`));

it("calls every invisible character by letters that every font has", () => {
  expect(shown("a\u0000b\r\n\tc\u007f\u200b\u202e\u0085")).toEqual(["a", "‹NUL›", "b", "‹CR›", "‹LF›", "‹TAB›", "c", "‹DEL›", "‹ZWSP›", "‹RLO›", "‹U+0085›"]);
  expect(shown("a b", true)).toEqual(["a", "‹·›", "b"]);
  expect(shown("a b")).toEqual(["a b"]);
  expect(nameOf("\n")).toBe("line feed");
});

it("tears no emoji apart, and leaves text of any script alone", () => {
  for (const text of ["👩‍👩‍👧‍👦", "שלום עולם", "नमस्ते", "e\u0301"]) expect(shown(text)).toEqual([text]);
});

it("draws the control characters of a summary, not the pictures it has for them", () => {
  expect(shown(unpictured("<actions>␊␉x␡"))).toEqual(["<actions>", "‹LF›", "‹TAB›", "x", "‹DEL›"]);
});

it("knows how much room a mark takes", () => {
  expect(["\n", "\u001b", "\u00a0", "a", "語"].map((c) => columnsOf(c.codePointAt(0) ?? 0))).toEqual([1, 3, 1, 0, 0]);
});
