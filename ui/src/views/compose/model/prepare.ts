import type { ChannelId, ChatType, ComposePrepare, StrippedPart } from "../../../generated/wire";
import { ByteText } from "../../../store/text";

/** What surrounds a message, as the dialog has it; an empty text is left out. */
export interface Surroundings {
  chat_type: ChatType;
  mentioned: boolean;
  sender: string;
  is_bot: boolean;
  thread: string;
  reply_to: string;
  session: string;
  /** Ids with commas. */
  allow_from: string;
}

/** What the backend is asked. */
export function orderOf(channel: ChannelId, user_text: string, around: Surroundings): ComposePrepare {
  const { chat_type, mentioned, is_bot } = around;
  const given = <K extends string>(key: K, value: string): Partial<Record<K, string>> => (value.trim() === "" ? {} : ({ [key]: value.trim() } as Record<K, string>));
  const allow_from = around.allow_from.split(",").map((id) => id.trim()).filter((id) => id !== "");
  return {
    channel, user_text,
    context: { chat_type, mentioned, is_bot, ...given("sender", around.sender), ...given("thread", around.thread), ...given("reply_to", around.reply_to) },
    ...given("session", around.session),
    ...(allow_from.length > 0 && { allow_from }),
  };
}

/** A text in pieces: what the agent is given, and what is taken out. */
export function markedParts(text: string, stripped: readonly StrippedPart[]): { text: string; stripped: boolean }[] {
  const bytes = new ByteText(text);
  const parts: { text: string; stripped: boolean }[] = [];
  const add = (from: number, to: number, out: boolean): void => void (to > from && parts.push({ text: text.slice(bytes.unit(from), bytes.unit(to)), stripped: out }));
  let at = 0;
  for (const { span: [start, end] } of [...stripped].sort((a, b) => a.span[0] - b.span[0])) {
    add(at, start, false);
    add(start, end, true);
    at = end;
  }
  add(at, new TextEncoder().encode(text).length, false);
  return parts;
}
