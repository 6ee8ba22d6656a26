/**
 * Everything in a turn hangs together: bytes became a directive, the directive became an operation, the
 * operation has an outcome. Selecting one of them marks all of them, in every pane.
 */
import type { Decision, LedgerEntry, MessageDetail, Range, Span, TurnDetail } from "../../../generated/wire";
import type { Place } from "../../../store/selection";
import { byteLength } from "../../../store/text";

/** What hangs together with a place. */
export interface Marks {
  readonly spans: readonly { message: number; span: Span }[];
  readonly ops: ReadonlySet<number>;
  /** As `message:index`. */
  readonly directives: ReadonlySet<string>;
  readonly seqs: ReadonlySet<number>;
}

export const NO_MARKS: Marks = { spans: [], ops: new Set(), directives: new Set(), seqs: new Set() };

export function directiveKey(message: number, index: number): string {
  return `${message}:${index}`;
}

export function overlaps(a: Span, b: Span): boolean {
  return a[0] < b[1] && b[0] < a[1];
}

/** The raw bytes from which these bytes of the clean text came, without what was stripped between them. */
export function cleanToRaw(ranges: readonly Range[], [from, to]: Span): Span[] {
  const found: Span[] = [];
  let clean = 0;
  for (const range of ranges) {
    if (range.fate !== "show") continue;
    const [start, end] = range.span;
    const length = range.as === undefined ? end - start : byteLength(range.as);
    const first = Math.max(from, clean);
    const last = Math.min(to, clean + length);
    if (first < last) {
      // Replaced text has no byte-for-byte counterpart: it stands for its whole range.
      const span: Span = range.as === undefined ? [start + first - clean, start + last - clean] : [start, end];
      const before = found[found.length - 1];
      if (before !== undefined && before[1] === span[0]) before[1] = span[1];
      else found.push([...span]);
    }
    clean += length;
    if (clean >= to) break;
  }
  return found;
}

/** Collects marks without marking twice. */
class Collector {
  readonly spans: { message: number; span: Span }[] = [];
  readonly ops = new Set<number>();
  readonly directives = new Set<string>();
  readonly seqs = new Set<number>();

  constructor(private readonly detail: TurnDetail) {}

  #message(number: number): MessageDetail | undefined {
    return this.detail.messages.find((m) => m.message === number);
  }

  operation(op: number): void {
    if (this.ops.has(op)) return;
    const entry = this.detail.ledger.find((e) => e.op === op);
    if (entry === undefined) return;
    this.ops.add(op);
    this.seqs.add(entry.seq);
    if (entry.outcome_seq !== null) this.seqs.add(entry.outcome_seq);
    const { directive, body } = entry.intent;
    if (directive !== undefined) this.directive(directive.message, directive.index);
    if (body?.from === "clean") {
      const ranges = this.#message(body.message)?.ranges ?? [];
      for (const span of cleanToRaw(ranges, body.span)) this.spans.push({ message: body.message, span });
    }
    for (const leak of entry.leaked) {
      this.seqs.add(leak.seq);
      this.spans.push({ message: leak.message, span: leak.span });
    }
  }

  directive(message: number, index: number): void {
    const key = directiveKey(message, index);
    if (this.directives.has(key)) return;
    const entry = this.detail.directives.find((d) => d.message === message && d.index === index);
    if (entry === undefined) return;
    this.directives.add(key);
    this.seqs.add(entry.seq);
    this.spans.push({ message, span: entry.directive.span });
    if (entry.op !== null) this.operation(entry.op);
  }

  bytes(message: number, span: Span): void {
    this.spans.push({ message, span });
    for (const entry of this.detail.directives) {
      if (entry.message === message && overlaps(entry.directive.span, span)) this.directive(message, entry.index);
    }
    const ranges = this.#message(message)?.ranges ?? [];
    for (const entry of this.detail.ledger) {
      if (showsBytes(entry, message, ranges, span)) {
        this.ops.add(entry.op);
        this.seqs.add(entry.seq);
      }
    }
    for (const decision of this.detail.decisions) {
      if (decision.message === message && decision.span !== null && decision.kind !== "chunk" && overlaps(decision.span, span)) {
        this.seqs.add(decision.seq);
      }
    }
  }

  event(seq: number): void {
    this.seqs.add(seq);
    const entry = this.detail.ledger.find((e) => e.seq === seq || e.outcome_seq === seq);
    if (entry !== undefined) return this.operation(entry.op);
    for (const { op, seq: intended, leaked } of this.detail.ledger) {
      const leak = leaked.find((l) => l.seq === seq);
      if (leak === undefined) continue;
      // A leak is about these bytes and that operation, not about all that the operation shows.
      this.ops.add(op);
      this.seqs.add(intended);
      this.spans.push({ message: leak.message, span: leak.span });
      return;
    }
    const read = this.detail.directives.find((d) => d.seq === seq);
    if (read !== undefined) return this.directive(read.message, read.index);
    const decision: Decision | undefined = this.detail.decisions.find((d) => d.seq === seq);
    if (decision?.message != null && decision.span !== null) {
      this.spans.push({ message: decision.message, span: decision.span });
    }
  }
}

function showsBytes(entry: LedgerEntry, message: number, ranges: readonly Range[], span: Span): boolean {
  if (entry.leaked.some((leak) => leak.message === message && overlaps(leak.span, span))) return true;
  const { body } = entry.intent;
  if (body?.from !== "clean" || body.message !== message) return false;
  return cleanToRaw(ranges, body.span).some((raw) => overlaps(raw, span));
}

/**
 * What a place hangs together with. A directive and an operation are pointed at by the event that read or
 * intended them, bytes by their span.
 */
export function marksOf(detail: TurnDetail, place: Place | null): Marks {
  if (place === null || (place.turn !== undefined && place.turn !== detail.summary.turn)) return NO_MARKS;
  const found = new Collector(detail);
  if (place.seq !== undefined) found.event(place.seq);
  else if (place.message !== undefined && place.span !== undefined) found.bytes(place.message, place.span);
  const { spans, ops, directives, seqs } = found;
  return { spans, ops, directives, seqs };
}
