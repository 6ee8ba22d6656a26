/** Colour arithmetic: OKLCH (Björn Ottosson's perceptual space) to sRGB, and WCAG 2 contrast. */

/** Lightness 0–1, chroma from 0, hue in degrees. */
export interface Oklch {
  readonly l: number;
  readonly c: number;
  readonly h: number;
}

/** Gamma-encoded sRGB, each channel 0–1. */
export type Rgb = readonly [number, number, number];

function linear({ l, c, h }: Oklch): Rgb {
  const angle = (h * Math.PI) / 180;
  const a = c * Math.cos(angle);
  const b = c * Math.sin(angle);
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ];
}

const encode = (v: number): number => (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055);
const decode = (v: number): number => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const inGamut = (rgb: Rgb): boolean => rgb.every((v) => v >= -1e-4 && v <= 1 + 1e-4);

/** The nearest displayable colour: lightness and hue stay, chroma gives way (clipping channels would shift the hue). */
export function toRgb(colour: Oklch): Rgb {
  let low = 0;
  let high = colour.c;
  if (!inGamut(linear(colour))) {
    for (let i = 0; i < 24; i += 1) {
      const c = (low + high) / 2;
      if (inGamut(linear({ ...colour, c }))) low = c;
      else high = c;
    }
    high = low;
  }
  const [r, g, b] = linear({ ...colour, c: high });
  const channel = (v: number): number => encode(Math.min(1, Math.max(0, v)));
  return [channel(r), channel(g), channel(b)];
}

/** `over` painted on `under` with this opacity, as the browser blends: channel by channel in sRGB. */
export function blend(over: Rgb, under: Rgb, alpha: number): Rgb {
  const mix = (i: 0 | 1 | 2): number => over[i] * alpha + under[i] * (1 - alpha);
  return [mix(0), mix(1), mix(2)];
}

/** WCAG 2 contrast ratio, 1–21. */
export function contrast(a: Rgb, b: Rgb): number {
  const luminance = ([r, g, bl]: Rgb): number => 0.2126 * decode(r) + 0.7152 * decode(g) + 0.0722 * decode(bl);
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

/** `#rrggbb`. */
export function hex(rgb: Rgb): string {
  return `#${rgb.map((v) => Math.round(v * 255).toString(16).padStart(2, "0")).join("")}`;
}

/** Reads `#rrggbb`. */
export function fromHex(text: string): Rgb {
  const at = (i: number): number => Number.parseInt(text.slice(i, i + 2), 16) / 255;
  return [at(1), at(3), at(5)];
}
