/** The outputs that can be tried from a view. */
import type { Specimen } from "../../generated/wire";

export interface Choice {
  readonly id: number;
  /** As a button names it. */
  readonly title: string;
  readonly specimen: Specimen;
}

/** The assistant messages of a turn. */
export const messagesOf = (turn: number, messages: readonly { message: number }[]): readonly Choice[] =>
  messages.map(({ message }) => ({ id: message, title: `message ${message + 1}`, specimen: { of: "message", turn, message } }));

/** What stands in Compose. */
export const textOf = (user_text: string, agent_output: string): readonly Choice[] => [
  { id: 0, title: "this text", specimen: { of: "text", user_text, agent_output, channel: null } },
];
