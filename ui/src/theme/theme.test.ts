import { describe, expect, it } from "vitest";
import { derive } from "./derive";
import { contrast, fromHex, hex, toRgb } from "./oklch";
import { roles, type Contrast, type Scheme } from "./roles";

const variants: [Scheme, Contrast][] = [["dark", "normal"], ["dark", "more"], ["light", "normal"], ["light", "more"]];

describe.each(variants)("%s, %s contrast", (scheme, level) => {
  const tokens = derive(scheme, level);
  const ratio = (a: string, b: string): number => contrast(fromHex(tokens[a] ?? ""), fromHex(tokens[b] ?? ""));
  const least = level === "more" ? 7 : 4.5;
  const surfaces = ["--surface-0", "--surface-1", "--surface-2", "--surface-3"];

  it.each(["--text", "--text-2", "--text-3"])("%s can be read on every surface, selected or hovered", (text) => {
    for (const ground of surfaces) expect(ratio(text, ground), `${text} on ${ground}`).toBeGreaterThanOrEqual(least);
    expect(ratio("--text", "--selection")).toBeGreaterThanOrEqual(7);
    expect(ratio("--text-2", "--selection")).toBeGreaterThanOrEqual(4.5);
    expect(ratio(text, "--hover")).toBeGreaterThanOrEqual(4.5);
  });

  it("has a dim text that can be read on a selected row", () => {
    for (const ground of [...surfaces, "--selection"]) expect(ratio("--text-3-selected", ground), ground).toBeGreaterThanOrEqual(least);
  });

  it.each(Object.keys(roles))("%s can be read on every surface, on its fill, and on its solid", (role) => {
    for (const ground of [...surfaces, `--${role}-fill`])
      expect(ratio(`--${role}`, ground), `--${role} on ${ground}`).toBeGreaterThanOrEqual(least);
    expect(ratio("--text", `--${role}-fill`)).toBeGreaterThanOrEqual(7);
    expect(ratio(`--${role}-on`, `--${role}-solid`)).toBeGreaterThanOrEqual(4.5);
    expect(ratio(`--${role}-solid`, "--surface-0")).toBeGreaterThanOrEqual(3);
  });

  it("has a ground for what floats and for what lies behind it", () => {
    expect(tokens["--scrim"]).toMatch(/^rgb\(.+ \/ 0\.\d+\)$/);
    expect(tokens["--shadow"]).toMatch(/^rgb\(.+ \/ 0\.\d+\)$/);
  });

  it("shows the focus on every surface", () => {
    for (const ground of [...surfaces, "--selection"]) expect(ratio("--focus", ground)).toBeGreaterThanOrEqual(3);
  });

  it("outlines with 3:1 when more contrast is asked for", () => {
    expect(ratio("--border-strong", "--surface-1")).toBeGreaterThanOrEqual(level === "more" ? 3 : 1.6);
  });
});

describe("colour arithmetic", () => {
  it("knows the ends and the middle of the space", () => {
    expect(hex(toRgb({ l: 1, c: 0, h: 0 }))).toBe("#ffffff");
    expect(hex(toRgb({ l: 0, c: 0, h: 0 }))).toBe("#000000");
    // sRGB red, as published with the space.
    expect(hex(toRgb({ l: 0.6279554, c: 0.2576833, h: 29.2338802 }))).toBe("#ff0000");
    expect(contrast([1, 1, 1], [0, 0, 0])).toBeCloseTo(21);
  });

  it("gives up chroma, not hue, outside the gamut", () => {
    const rgb = toRgb({ l: 0.7, c: 0.4, h: 145 });
    expect(Math.max(...rgb)).toBeLessThanOrEqual(1);
    expect(rgb[1]).toBeGreaterThan(rgb[0]);
  });
});

it("is where all colours come from: no component has one of its own", () => {
  const sources = import.meta.glob<string>("../**/*.svelte", { query: "?raw", import: "default", eager: true });
  expect(Object.keys(sources).length).toBeGreaterThan(80);
  const styles = Object.entries(sources).map(([file, text]) => [file, text.split("<style>")[1] ?? ""] as const);
  expect(styles.filter(([, style]) => /\b(rgb|hsl|oklch)a?\(|#[0-9a-f]{3,8}\b/i.test(style)).map(([file]) => file)).toEqual([]);
});
