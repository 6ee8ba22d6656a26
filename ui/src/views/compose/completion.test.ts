import { describe, expect, it } from "vitest";
import { completed, offered, slashWord } from "./completion";

const commands = ["/activation", "/allowlist", "/think", "/tts"].map((code) => ({ code, about: `What ${code} does.` }));
const codes = (text: string, cursor = text.length): string[] => offered(commands, text, cursor).map((command) => command.code);

describe("completion of commands", () => {
  it("offers what begins with the word behind the slash", () => {
    expect(codes("/")).toEqual(["/activation", "/allowlist", "/think", "/tts"]);
    expect(codes("/A")).toEqual(["/activation", "/allowlist"]);
    expect(codes("please /th")).toEqual(["/think"]);
    expect(codes("/t now", 2)).toEqual(["/think", "/tts"]);
  });

  it("offers nothing in the middle of words, in paths and where the command is written out", () => {
    for (const text of ["", "hi", "a/t", "/etc/t", "/think ", "/think", "/nothing"]) expect(codes(text), text).toEqual([]);
    expect(slashWord("a\n/t", 4)).toBe("/t");
  });

  it("puts the command in the place of the word", () => {
    const think = commands[2] as (typeof commands)[number];
    expect(completed("say /th", 7, think)).toEqual({ from: 4, insert: "/think ", cursor: 11 });
    expect(completed("/th high", 3, think)).toEqual({ from: 0, insert: "/think", cursor: 6 });
  });
});
