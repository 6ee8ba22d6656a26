/** Where one can stand in a turn, and what the next place is for each way of stepping. */
import type { Decision, TurnDetail, TurnSummary } from "../../../generated/wire";
import type { ByteText } from "../../../store/text";

/** A moment of the turn: right after event `seq`, or with exactly so many bytes of a message. */
export interface Position {
  readonly seq: number;
  /** Milliseconds since the turn began. */
  readonly atMs: number;
  /** For steps within a chunk: message and number of its bytes that had come. */
  readonly byte: readonly [message: number, bytes: number] | null;
}

/** Whether two positions have one moment: between two events nothing happens but that time goes on. */
export const isSameMoment = (a: Position, b: Position): boolean => a.seq === b.seq && a.byte?.[0] === b.byte?.[0] && a.byte?.[1] === b.byte?.[1];

/** A time of a turn as a time of day, in ISO form. */
export const timeOfDay = ({ summary }: TurnDetail, ms: number): string => new Date(Date.parse(summary.at) + ms).toISOString();

export type Step = "chunk" | "byte" | "decision" | "delivery" | "error" | "held";
export type Way = 1 | -1;

/** What the scanner says about a chunk; these belong to the moment at which the chunk came. */
const SCANNER = new Set<Decision["kind"]>(["hold", "range", "directive", "diagnostic"]);

const WANTED: Record<Exclude<Step, "byte">, (decision: Decision) => boolean> = {
  chunk: ({ kind }) => kind === "chunk",
  decision: ({ kind }) => kind !== "chunk" && kind !== "delivery",
  delivery: ({ kind }) => kind === "delivery",
  error: ({ error }) => error,
  held: ({ kind }) => kind === "hold",
};

/** The byte one character after or before `byte`; the same byte at the edges of the text. */
export function stepCharacter(text: ByteText, byte: number, way: Way): number {
  const unit = text.unit(byte);
  if (way === 1) return text.byte(unit + ((text.text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1));
  const start = text.byte(unit);
  return start < byte ? start : text.byte(unit - 1);
}

/** How long a turn took, or has taken by `now` while it runs, in milliseconds: an agent that hangs tells nothing. */
export function tookMs({ at, terminal, took_ms }: TurnSummary, now: number): number {
  return terminal === null ? Math.max(took_ms, now - Date.parse(at)) : took_ms;
}

/** A place at which a step may stop. */
interface Stop {
  position: Position;
  decision: Decision;
}

export class Timeline {
  readonly #stops: readonly Stop[];
  readonly #detail: TurnDetail;
  readonly begin: Position;
  readonly end: Position;

  constructor(detail: TurnDetail) {
    this.#detail = detail;
    const { decisions } = detail;
    this.#stops = decisions.map((decision, i) => {
      let seq = decision.seq;
      if (decision.kind === "chunk") {
        // Right after a chunk nothing is decided about it yet. What a person means by "after this chunk" is
        // the moment before anything else happens.
        let next = i + 1;
        while (next < decisions.length && SCANNER.has(decisions[next]?.kind ?? "end")) next++;
        const following = decisions[next];
        seq = following === undefined ? Math.max(decision.seq, detail.head) : following.seq - 1;
      }
      return { position: { seq, atMs: decision.at_ms, byte: null }, decision };
    });
    const first = decisions[0];
    const last = decisions[decisions.length - 1];
    this.begin = { seq: first?.seq ?? detail.head, atMs: first?.at_ms ?? 0, byte: null };
    this.end = { seq: detail.head, atMs: Math.max(detail.summary.took_ms, last?.at_ms ?? 0), byte: null };
  }

  /** Length of the turn in milliseconds, never zero. */
  get duration(): number {
    return Math.max(1, this.end.atMs);
  }

  /** The next stop of this kind; `null` when there is none. */
  step(from: Position, by: Exclude<Step, "byte">, way: Way): Position | null {
    const wanted = WANTED[by];
    // From within a chunk the chunk's own end is the next stop.
    const at = from.byte === null ? from.seq : from.seq - 0.5;
    if (way === 1) return this.#stops.find((s) => wanted(s.decision) && s.position.seq > at)?.position ?? null;
    return this.#stops.findLast((s) => wanted(s.decision) && s.position.seq < at)?.position ?? null;
  }

  /**
   * One character on or back in the message whose text comes or came last at `from`; into the message
   * before or after at its edges.
   */
  stepByte(from: Position, way: Way, maps: readonly ByteText[]): Position | null {
    const [message, bytes] = from.byte ?? this.#arrived(from.seq) ?? [0, 0];
    const map = maps[message];
    if (map === undefined) return null;
    const next = stepCharacter(map, bytes, way);
    if (next !== bytes) return this.atByte(message, next);
    const other = maps[message + way];
    return other === undefined ? null : this.atByte(message + way, stepCharacter(other, way === 1 ? 0 : other.bytes, way));
  }

  /** The moment at which so many bytes of a message had come. */
  atByte(message: number, bytes: number): Position {
    const detail = this.#detail.messages.find((m) => m.message === message);
    const chunk = detail?.chunks.find((c) => c.span[1] >= bytes) ?? detail?.chunks.at(-1);
    if (chunk === undefined) return this.begin;
    const stop = this.#stopOf(chunk.seq);
    if (stop !== undefined && chunk.span[1] === bytes) return stop.position;
    return { seq: chunk.seq, atMs: stop?.decision.at_ms ?? 0, byte: [message, bytes] };
  }

  /** The moment right after an event, with what the scanner said about it where it is a chunk. */
  atSeq(seq: number): Position {
    const exact = this.#stopOf(seq);
    if (exact !== undefined) return exact.position;
    const before = this.#stops.findLast((s) => s.decision.seq <= seq);
    return { seq, atMs: before?.decision.at_ms ?? 0, byte: null };
  }

  /** What had happened by this time: for dragging and for playing. */
  atTime(ms: number): Position {
    if (ms >= this.end.atMs) return this.end;
    let low = 0;
    let high = this.#stops.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#stops[middle]?.decision.at_ms ?? 0) <= ms) low = middle;
      else high = middle - 1;
    }
    const stop = this.#stops[low];
    if (stop === undefined || stop.decision.at_ms > ms) return { ...this.begin, atMs: ms };
    return { seq: stop.position.seq, atMs: ms, byte: null };
  }

  /** The last decision at or before a position. */
  decisionAt(position: Position): Decision | null {
    return this.#stops.findLast((s) => s.decision.seq <= position.seq)?.decision ?? null;
  }

  /** Message and bytes that had come by an event. */
  #arrived(seq: number): readonly [number, number] | null {
    let found: readonly [number, number] | null = null;
    for (const { message, chunks } of this.#detail.messages) {
      const last = chunks.findLast((c) => c.seq <= seq);
      if (last !== undefined) found = [message, last.span[1]];
    }
    return found;
  }

  #stopOf(seq: number): Stop | undefined {
    let low = 0;
    let high = this.#stops.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const stop = this.#stops[middle];
      if (stop === undefined) return undefined;
      if (stop.decision.seq === seq) return stop;
      if (stop.decision.seq < seq) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }
}
