import { describe, expect, it } from "vitest";
import { byteLength, ByteText } from "./text";

describe("a text addressed by byte", () => {
  const samples = ["plain", "naïve", "👍 ok", "a👍🏽b", "日本語", "\u{10FFFF}", ""];

  it.each(samples)("agrees with the encoder about %j", (text) => {
    const measured = new ByteText(text);
    expect(measured.bytes).toBe(byteLength(text));
    for (let unit = 0; unit <= text.length; unit += 1) {
      const inPair = unit > 0 && /[\ud800-\udbff]/.test(text[unit - 1] ?? "");
      if (!inPair) expect(measured.byte(unit)).toBe(byteLength(text.slice(0, unit)));
    }
  });

  it.each(samples)("finds every character of %j from any of its bytes", (text) => {
    const measured = new ByteText(text);
    let at = 0;
    let unit = 0;
    for (const character of text) {
      for (let inside = 0; inside < byteLength(character); inside += 1) expect(measured.unit(at + inside)).toBe(unit);
      at += byteLength(character);
      unit += character.length;
    }
    expect(measured.unit(at)).toBe(text.length);
    expect(measured.unit(at + 99)).toBe(text.length);
  });

  it("cuts by bytes", () => {
    expect(new ByteText("<react emoji=\"👍\" />").slice([14, 18])).toBe("👍");
  });
});
