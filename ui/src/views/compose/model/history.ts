/** What was sent, to be called back with one key; kept on this machine. */

/** One message as it was sent. */
export interface Draft {
  user: string;
  output: string;
}

const LIMIT = 100;
/** Characters of the longest message and the longest draft that are kept: megabytes would slow every start. */
export const LONGEST = 200_000;

/** Where the history is kept. */
export interface Shelf {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const KEY = "foldback.compose.history";

function isDraft(value: unknown): value is Draft {
  return typeof value === "object" && value !== null && "user" in value && "output" in value &&
    typeof value.user === "string" && typeof value.output === "string";
}

export class History {
  readonly #shelf: Shelf;
  #sent: Draft[];
  /** How far back one is; 0 is the draft being written. */
  #back = 0;
  #draft: Draft = { user: "", output: "" };

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
    this.#sent = this.#read();
  }

  get length(): number {
    return this.#sent.length;
  }

  /** How far back one is; 0 is the draft being written. */
  get back(): number {
    return this.#back;
  }

  /** Remembers what was sent, once where it is the same as the last. */
  add(draft: Draft): void {
    this.#back = 0;
    const last = this.#sent[this.#sent.length - 1];
    if (last?.user === draft.user && last.output === draft.output) return;
    if (draft.user.length + draft.output.length > LONGEST) return;
    this.#sent = [...this.#sent, draft].slice(-LIMIT);
    try {
      this.#shelf.setItem(KEY, JSON.stringify(this.#sent));
    } catch {
      // Full or forbidden: the history lasts as long as the window.
    }
  }

  /** The one sent before; `current` is kept to come back to. `null` when there is none. */
  previous(current: Draft): Draft | null {
    if (this.#back >= this.#sent.length) return null;
    if (this.#back === 0) this.#draft = current;
    this.#back += 1;
    return this.#sent[this.#sent.length - this.#back] ?? null;
  }

  /** The one sent after, and at last the draft that was left. */
  next(): Draft | null {
    if (this.#back === 0) return null;
    this.#back -= 1;
    return this.#back === 0 ? this.#draft : (this.#sent[this.#sent.length - this.#back] ?? null);
  }

  #read(): Draft[] {
    try {
      const kept: unknown = JSON.parse(this.#shelf.getItem(KEY) ?? "[]");
      return Array.isArray(kept) ? kept.filter(isDraft).slice(-LIMIT) : [];
    } catch {
      // Not a history of ours, or a forbidden shelf: it begins anew, and what was sent is in the journal.
      return [];
    }
  }
}
