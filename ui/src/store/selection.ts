import type { Span } from "../generated/wire";

/** What is selected. Everything is optional but one of event and turn, so that any pane can say what it knows. */
export interface Place {
  /** An event of the journal. */
  readonly seq?: number | undefined;
  /** A turn. */
  readonly turn?: number | undefined;
  /** An assistant message of the turn. */
  readonly message?: number | undefined;
  /** Bytes of its raw text. */
  readonly span?: Span | undefined;
}

const LIMIT = 200;
const same = (a: Place, b: Place): boolean =>
  a.seq === b.seq && a.turn === b.turn && a.message === b.message && a.span?.[0] === b.span?.[0] && a.span?.[1] === b.span?.[1];

/** The selection that links all panes, with a way back and forward. Hovering tints and is never remembered. */
export class Selection {
  #history: Place[] = [];
  #at = -1;
  #hover: Place | null = null;
  readonly #listeners = new Set<() => void>();

  get current(): Place | null {
    return this.#history[this.#at] ?? null;
  }

  get hovered(): Place | null {
    return this.#hover;
  }

  get canGoBack(): boolean {
    return this.#at > 0;
  }

  get canGoForward(): boolean {
    return this.#at < this.#history.length - 1;
  }

  /** Selects; what was ahead in the history is forgotten. Selecting the same again changes nothing. */
  select(place: Place): void {
    if (this.current && same(this.current, place)) return;
    this.#history = [...this.#history.slice(0, this.#at + 1), place].slice(-LIMIT);
    this.#at = this.#history.length - 1;
    this.#changed();
  }

  /** Selects without a step in the history: for scrubbing, where every byte would be one. */
  replace(place: Place): void {
    if (this.#at < 0) return this.select(place);
    if (this.current && same(this.current, place)) return;
    this.#history[this.#at] = place;
    this.#changed();
  }

  hover(place: Place | null): void {
    if (this.#hover === place || (this.#hover && place && same(this.#hover, place))) return;
    this.#hover = place;
    this.#changed();
  }

  back(): void {
    if (!this.canGoBack) return;
    this.#at -= 1;
    this.#changed();
  }

  forward(): void {
    if (!this.canGoForward) return;
    this.#at += 1;
    this.#changed();
  }

  /** Is told of every change until the answer is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
