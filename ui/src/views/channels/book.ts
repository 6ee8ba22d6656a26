/** Lines of a channel's ledger, in words. */
import type { BookLine } from "../../generated/wire";
import { count, duration } from "../../store/format";

/** What an operation says or names. */
export function subjectOf({ entry: { intent, text } }: BookLine): string {
  switch (intent.kind) {
    case "react":
      return `${intent.emoji_sent ?? intent.emoji ?? ""} → ${intent.message ?? ""}`;
    case "send_file":
      return [intent.path ?? "", text ?? ""].filter((part) => part !== "").join(", ");
    case "delete":
      return intent.message ?? "";
    default:
      return (text ?? intent.path ?? "").replaceAll(/\s+/g, " ").trim();
  }
}

/** Why it waits, what the platform said, how often it was tried, how long it was seen. */
export function notesOf({ entry }: Pick<BookLine, "entry">): string[] {
  const notes: string[] = [];
  if (entry.outcome === null && entry.waiting !== null) notes.push(entry.waiting);
  if (entry.outcome?.detail != null) notes.push(entry.outcome.detail);
  if (entry.attempts > 1) notes.push(`${count(entry.attempts)} attempts`);
  if (entry.visible_ms !== null) notes.push(`seen for ${duration(entry.visible_ms)}`);
  if (entry.intent.live && entry.outcome !== null) notes.push("a live frame");
  return notes;
}
