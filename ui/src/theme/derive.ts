import { blend, contrast, hex, toRgb, type Oklch, type Rgb } from "./oklch";
import { roles, targets, type Contrast, type RoleName, type Scheme } from "./roles";

/** Custom properties of the page: name with `--`, value `#rrggbb`. */
export type Tokens = Readonly<Record<string, string>>;

/** The steps of a role: for words and icons, soft ground, outline, solid area, words on the solid area. */
export const steps = ["", "-fill", "-line", "-solid", "-on"] as const;

/**
 * The first lightness, going away from the ground, at which `enough` holds. Bisection is sound because contrast
 * against a fixed ground grows with the distance from it.
 */
function solve(scheme: Scheme, at: (l: number) => Rgb, enough: (rgb: Rgb) => boolean): Rgb {
  let near = scheme === "dark" ? 0.1 : 0.98;
  let far = scheme === "dark" ? 1 : 0;
  for (let i = 0; i < 22; i += 1) {
    const l = (near + far) / 2;
    if (enough(at(l))) far = l;
    else near = l;
  }
  return at(far);
}

/** Every colour of a scheme. Pure, so that the contrast test reads exactly what the page gets. */
export function derive(scheme: Scheme, level: Contrast): Tokens {
  const aim = targets[scheme][level];
  const grey = (l: number): Rgb => toRgb({ l, c: aim.chroma, h: aim.hue });
  const surfaces = aim.surfaces.map(grey);
  const [page = grey(0), panel = page] = surfaces;
  const worst = (rgb: Rgb, grounds: readonly Rgb[]): number => Math.min(...grounds.map((s) => contrast(rgb, s)));
  const neutral = (ratio: number, chroma = aim.chroma + 0.004): Rgb =>
    solve(scheme, (l) => toRgb({ l, c: chroma, h: aim.hue }), (rgb) => worst(rgb, surfaces) >= ratio);

  const tokens: Record<string, string> = {};
  surfaces.forEach((s, i) => (tokens[`--surface-${i}`] = hex(s)));
  tokens["--text"] = hex(neutral(aim.text, 0.008));
  tokens["--text-2"] = hex(neutral(aim.text2, 0.014));
  tokens["--text-3"] = hex(neutral(aim.text3, 0.018));
  // Outlines are measured against the panel: they separate, they do not inform, so 3:1 is asked for high contrast only.
  const outline = (ratio: number): Rgb =>
    solve(scheme, (l) => toRgb({ l, c: aim.chroma + 0.004, h: aim.hue }), (rgb) => contrast(rgb, panel) >= ratio);
  tokens["--border"] = hex(outline(aim.border));
  tokens["--border-strong"] = hex(outline(aim.borderStrong));

  for (const name of Object.keys(roles) as RoleName[]) {
    const { c, h } = roles[name];
    const at = (l: number): Rgb => toRgb({ l, c, h } satisfies Oklch);
    const fillOf = (rgb: Rgb, ground: Rgb): Rgb => blend(rgb, ground, aim.tint);
    // Words of a role stand on every surface and on the role's own fill over any of the lower three surfaces.
    const words = solve(scheme, at, (rgb) =>
      worst(rgb, [...surfaces, ...surfaces.slice(0, 3).map((s) => fillOf(rgb, s))]) >= aim.role);
    const solid = solve(scheme, at, (rgb) => worst(rgb, [page, panel]) >= aim.solid);
    const ends = [toRgb({ l: 0.13, c: 0.02, h }), [1, 1, 1] as const];
    const on = ends.reduce((best, end) => (contrast(end, solid) > contrast(best, solid) ? end : best));
    tokens[`--${name}`] = hex(words);
    tokens[`--${name}-fill`] = hex(fillOf(words, panel));
    tokens[`--${name}-line`] = hex(blend(words, panel, level === "more" ? 1 : 0.42));
    tokens[`--${name}-solid`] = hex(solid);
    tokens[`--${name}-on`] = hex(on);
  }

  // Focus and selection are roles of place; they share the accent's hue, and focus must be seen on every surface.
  const { c, h } = roles.accent;
  tokens["--focus"] = hex(solve(scheme, (l) => toRgb({ l, c: c + 0.02, h }), (rgb) => worst(rgb, surfaces) >= (level === "more" ? 7 : 4.5)));
  const accent = solve(scheme, (l) => toRgb({ l, c, h }), (rgb) => worst(rgb, surfaces) >= aim.role);
  tokens["--hover"] = hex(blend(accent, panel, 0.07));
  // The quietest words on a selected row: the selection is lighter, or darker, than any surface they are derived for.
  const selection = blend(accent, panel, level === "more" ? 0.3 : 0.2);
  tokens["--selection"] = hex(selection);
  tokens["--text-3-selected"] = hex(solve(scheme, (l) => toRgb({ l, c: aim.chroma + 0.022, h: aim.hue }), (rgb) => worst(rgb, [...surfaces, selection]) >= aim.text3));
  // What lies behind a dialog stays to be seen, and is plainly not what one acts on.
  tokens["--scrim"] = scheme === "dark" ? "rgb(0 0 0 / 0.45)" : "rgb(20 30 60 / 0.32)";
  tokens["--shadow"] = scheme === "dark" ? "rgb(0 0 0 / 0.5)" : "rgb(20 30 60 / 0.16)";
  return tokens;
}
