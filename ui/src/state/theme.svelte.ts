import { derive } from "../theme/derive";
import type { Contrast, Scheme } from "../theme/roles";
import type { Prefs } from "./prefs.svelte";

/** A media query as a rune. */
class Query {
  matches = $state(false);

  constructor(query: string) {
    const list = typeof matchMedia === "function" ? matchMedia(query) : null;
    this.matches = list?.matches ?? false;
    list?.addEventListener("change", ({ matches }) => (this.matches = matches));
  }
}

/** The scheme in force: what the person chose, else what the system says. Written to the page as custom properties. */
export class Theme {
  readonly #prefs: Prefs;
  readonly #light = new Query("(prefers-color-scheme: light)");
  readonly #more = new Query("(prefers-contrast: more)");
  #width = $state(window.innerWidth);

  constructor(prefs: Prefs) {
    this.#prefs = prefs;
    window.addEventListener("resize", () => (this.#width = window.innerWidth));
  }

  get scheme(): Scheme {
    const choice = this.#prefs.get("theme");
    if (choice === "dark" || choice === "light") return choice;
    return this.#light.matches ? "light" : "dark";
  }

  get contrast(): Contrast {
    return this.#more.matches || this.#prefs.get("theme") === "contrast" ? "more" : "normal";
  }

  /** Whether side panes must be overlays. */
  get narrow(): boolean {
    return this.#width < this.px(900);
  }

  /** Height in px of a row that is `px` high at 100 %: for what is laid out in code. */
  px(px: number): number {
    return (px * this.#prefs.get("zoom")) / 100;
  }

  /** Paints the page. Call inside an effect: it reads runes. */
  apply(root: HTMLElement): void {
    for (const [name, value] of Object.entries(derive(this.scheme, this.contrast))) root.style.setProperty(name, value);
    // 62.5 % makes 1rem = 10px at 100 % zoom; every length of the page is in rem, borders excepted.
    root.style.fontSize = `${(62.5 * this.#prefs.get("zoom")) / 100}%`;
    root.style.colorScheme = this.scheme;
    root.dataset["contrast"] = this.contrast;
    root.dataset["scheme"] = this.scheme;
  }
}
