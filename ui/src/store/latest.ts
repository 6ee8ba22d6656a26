/**
 * One request in flight, and of all wishes that come meanwhile only the latest: for whatever changes faster than
 * it can be answered, such as typing and dragging.
 */
export class Latest<Wish, Answer> {
  readonly #ask: (wish: Wish) => Promise<Answer>;
  readonly #show: (answer: Answer, wish: Wish) => void;
  readonly #fail: (reason: unknown, wish: Wish) => void;
  #next: { wish: Wish } | null = null;
  #busy = false;
  #closed = false;

  constructor(
    ask: (wish: Wish) => Promise<Answer>,
    show: (answer: Answer, wish: Wish) => void,
    fail: (reason: unknown, wish: Wish) => void,
  ) {
    this.#ask = ask;
    this.#show = show;
    this.#fail = fail;
  }

  /** Whether an answer is still to come. */
  get busy(): boolean {
    return this.#busy;
  }

  want(wish: Wish): void {
    this.#next = { wish };
    if (!this.#busy) void this.#serve();
  }

  /** Forgets a wish that was not asked for yet. */
  unwish(): void {
    this.#next = null;
  }

  /** Nothing is shown any more, whatever is still under way. */
  close(): void {
    this.#closed = true;
    this.#next = null;
  }

  async #serve(): Promise<void> {
    this.#busy = true;
    while (this.#next !== null) {
      const { wish } = this.#next as { wish: Wish };
      this.#next = null;
      try {
        const answer = await this.#ask(wish);
        if (!this.#closed) this.#show(answer, wish);
      } catch (reason) {
        if (!this.#closed) this.#fail(reason, wish);
      }
    }
    this.#busy = false;
  }
}
