/** Where a place of the clean text stands in the output as it was written. */
import type { Parsed, Span } from "../../../generated/wire";
import { byteLength } from "../../../store/text";

/** The bytes of the output that a stretch of the clean text was made from; what is taken out between them included. */
export function writtenAt({ ranges }: Pick<Parsed, "ranges">, [from, to]: Span): Span | null {
  let clean = 0;
  let start: number | null = null;
  for (const { span, fate, as } of ranges) {
    if (fate !== "show") continue;
    // What stands for a secret has another length, and is taken as a whole.
    const length = as == null ? span[1] - span[0] : byteLength(as);
    const at = (byte: number, edge: number): number => (as == null ? span[0] + byte - clean : edge);
    if (start === null && from < clean + length) start = at(Math.max(from, clean), span[0]);
    if (start !== null && to <= clean + length) return [start, at(to, span[1])];
    clean += length;
  }
  return null;
}
