import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { columnsOf, inOneLine, nameOf, pieces, readable, unpictured } from "./glyphs";

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

it("marks what the backend marks, and joiners where they join nothing", () => {
  const vectors = readFileSync(join(import.meta.dirname, "../../../fixtures/vectors/visible.jsonl"), "utf8").trim().split("\n");
  for (const line of vectors) {
    const { text, visible, about } = JSON.parse(line) as { text: string; visible: string; about: string };
    const marked = pieces(text).map(({ text: plain, control }) => (control === null || /[\n\t\u00a0]/.test(control) ? (control ?? plain) : `⟨U+${(control.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`));
    expect(marked.join(""), about).toBe(visible);
  }
  expect(shown("in\u200cvoice \u{e0041}")).toEqual(["in", "‹U+200C›", "voice ", "‹U+E0041›"]);
});

it("draws the control characters of a summary, not the pictures it has for them", () => {
  expect(shown(unpictured("<actions>␊␉x␡"))).toEqual(["<actions>", "‹LF›", "‹TAB›", "x", "‹DEL›"]);
});

it("has a sign for a line break where nothing can be drawn", () => {
  expect(readable("one␊two")).toBe("one↵two");
});

it("knows how much room a mark takes", () => {
  expect(["\n", "\u001b", "\u00a0", "a", "語"].map((c) => columnsOf(c.codePointAt(0) ?? 0))).toEqual([1, 3, 1, 0, 0]);
});

it("puts a text of several lines into one", () => {
  expect(inOneLine("two routes:\u240a\u240a- the ridge\n\tand more ")).toBe("two routes: - the ridge and more");
});
