/**
 * The roles of colour. A role is a meaning, not a place: no widget has tokens of its own. Every step (text, fill,
 * line, solid) is derived in `derive.ts` against a contrast target, so a role is only a hue and a chroma here.
 */

import { PLATFORMS } from "../generated/platforms";

/** Hue in degrees and the chroma it aims for; the gamut may give less. */
export interface Role {
  readonly h: number;
  readonly c: number;
  /** What it stands for; the legend of the hold map is rendered from these. */
  readonly about: string;
}

type PlatformRoles = { readonly [P in keyof typeof PLATFORMS]: Role };

/** Each platform has its colour from the row that tells what it can do. */
function platformRoles(): PlatformRoles {
  const entries = Object.entries(PLATFORMS).map(([code, { name, h, c }]) => [code, { h, c, about: `${name}.` }]);
  return Object.fromEntries(entries) as PlatformRoles;
}

export const roles = {
  accent: { h: 240, c: 0.125, about: "Where you are, and what acts." },
  info: { h: 225, c: 0.09, about: "Worth knowing." },
  ok: { h: 155, c: 0.14, about: "As intended." },
  notice: { h: 110, c: 0.11, about: "Look here once." },
  warn: { h: 85, c: 0.14, about: "Something a person should know." },
  danger: { h: 25, c: 0.17, about: "Something failed." },
  shown: { h: 168, c: 0.11, about: "Bytes the user sees." },
  "held-parser": { h: 68, c: 0.135, about: "Bytes the scanner holds back." },
  "held-timing": { h: 215, c: 0.1, about: "Deliveries that wait for their time." },
  stripped: { h: 300, c: 0.15, about: "Markup that was understood and taken out." },
  dropped: { h: 270, c: 0.03, about: "Text that nobody sees." },
  masked: { h: 192, c: 0.09, about: "A secret, shown as [redacted]." },
  leaked: { h: 18, c: 0.21, about: "A directive byte that reached a channel." },
  replayed: { h: 330, c: 0.1, about: "From a replay." },
  ...platformRoles(),
} as const satisfies Record<string, Role>;

export type RoleName = keyof typeof roles;

export type Scheme = "dark" | "light";
export type Contrast = "normal" | "more";

/** What the steps of a scheme aim for. Ratios are WCAG 2 contrast against the least favourable surface. */
export interface Targets {
  /** Surfaces from the deepest to the most raised: page, panel, control, pressed control. */
  readonly surfaces: readonly [number, number, number, number];
  readonly hue: number;
  readonly chroma: number;
  readonly text: number;
  readonly text2: number;
  readonly text3: number;
  readonly role: number;
  /** Solid areas such as the bars of the hold map, against the page. */
  readonly solid: number;
  readonly border: number;
  readonly borderStrong: number;
  /** How much of a role tints its fill. */
  readonly tint: number;
}

export const targets: Record<Scheme, Record<Contrast, Targets>> = {
  dark: {
    normal: {
      surfaces: [0.165, 0.2, 0.238, 0.285],
      hue: 262, chroma: 0.012,
      text: 12.2, text2: 7, text3: 4.6, role: 5, solid: 4.2, border: 1.32, borderStrong: 1.9, tint: 0.15,
    },
    more: {
      surfaces: [0, 0.13, 0.17, 0.23],
      hue: 262, chroma: 0.006,
      text: 15.5, text2: 11, text3: 7.2, role: 7.5, solid: 7, border: 3.1, borderStrong: 5, tint: 0.1,
    },
  },
  light: {
    normal: {
      surfaces: [0.975, 0.995, 0.955, 0.922],
      hue: 262, chroma: 0.005,
      text: 12.5, text2: 6.8, text3: 4.6, role: 4.8, solid: 3.4, border: 1.24, borderStrong: 1.7, tint: 0.12,
    },
    more: {
      surfaces: [1, 1, 0.965, 0.93],
      hue: 262, chroma: 0.002,
      text: 16.5, text2: 11, text3: 7.2, role: 7.5, solid: 6, border: 3.1, borderStrong: 5, tint: 0.07,
    },
  },
};
