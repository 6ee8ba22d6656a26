/** All raw text of a turn as one listing: its assistant messages one after the other, a line between them. */
import type { Decision, MessageDetail, Span, TurnDetail } from "../../../generated/wire";
import { ByteText } from "../../../store/text";
import { rowOfByte, rowSpan, splitRows, startsChunk, type Rows } from "./rows";

export interface Section {
  readonly message: number;
  readonly detail: MessageDetail;
  readonly text: ByteText;
  readonly rows: Rows;
  /** What came before it: a tool call, reasoning. Empty for the first message when nothing did. */
  readonly between: readonly Decision[];
  /** Its line between messages, if it has one, else its first row of text. */
  readonly firstRow: number;
  /** Whether a line stands before its text. */
  readonly headed: boolean;
}

export type Row =
  | { kind: "between"; section: Section }
  | { kind: "text"; section: Section; span: Span; chunk: number; starts: boolean };

export class Script {
  readonly sections: readonly Section[];
  readonly length: number;
  /** Columns a row may take. */
  readonly columns: number;

  /** `before` is the script this one replaces: what did not change is taken over. */
  constructor(detail: TurnDetail, columns: number, before: Script | null = null) {
    let firstRow = 0;
    this.sections = detail.messages.map((message) => {
      const old = before?.sections.find((s) => s.message === message.message && s.detail.raw === message.raw);
      const text = old?.text ?? new ByteText(message.raw);
      const same = old !== undefined && before?.columns === columns && old.detail.chunks.length === message.chunks.length;
      const rows = same ? old.rows : splitRows(text, message.chunks, columns);
      const between = actsBetween(detail, message);
      const headed = detail.messages.length > 1;
      const section: Section = { message: message.message, detail: message, text, rows, between, firstRow, headed };
      firstRow += rows.length + (headed ? 1 : 0);
      return section;
    });
    this.length = firstRow;
    this.columns = columns;
  }

  section(message: number): Section | undefined {
    return this.sections.find((s) => s.message === message);
  }

  row(index: number): Row | undefined {
    const section = this.sections.findLast((s) => s.firstRow <= index);
    if (section === undefined || index >= this.length) return undefined;
    const local = index - section.firstRow - (section.headed ? 1 : 0);
    if (local < 0) return { kind: "between", section };
    const { rows } = section;
    return { kind: "text", section, span: rowSpan(rows, local), chunk: rows.chunks[local] ?? 0, starts: startsChunk(rows, local) };
  }

  /** The row that holds the last of the first `bytes` bytes of a message. */
  rowOf(message: number, bytes: number): number {
    const section = this.section(message);
    if (section === undefined) return 0;
    const head = section.headed ? 1 : 0;
    return section.rows.length === 0 ? section.firstRow : section.firstRow + head + rowOfByte(section.rows, Math.max(0, bytes - 1));
  }
}

/** What the agent did between the message before and this one. */
function actsBetween(detail: TurnDetail, { message, chunks }: MessageDetail): Decision[] {
  const until = chunks[0]?.seq ?? Infinity;
  const from = detail.messages.find((m) => m.message === message - 1)?.chunks.at(-1)?.seq ?? 0;
  return detail.decisions.filter((d) => d.kind === "agent" && d.message === null && d.seq > from && d.seq < until);
}
