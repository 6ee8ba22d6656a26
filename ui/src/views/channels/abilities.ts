import type { ChannelCard, Markup } from "../../generated/wire";
import { unitWords } from "../../parts/chat/ruler";
import { bytes, count, duration, words } from "../../store/format";

/** Something a channel can or cannot do, in two words. */
export interface Ability {
  readonly name: string;
  /** How, or how much. */
  readonly how: string | null;
  readonly can: boolean;
  /** Switched off by the configuration. */
  readonly disabled: boolean;
}

/** How text is marked up there, as people call it. */
const markups: Readonly<Record<Markup, string>> = { plain: "plain text", markdown: "Markdown", mrkdwn: "mrkdwn", html: "HTML", whatsapp: "WhatsApp's marks" };

/** What a card's capabilities say, in the order of a message: text, its changes, what goes beside it. */
export function abilities({ capabilities: c, disabled }: ChannelCard): Ability[] {
  const one = (op: string, name: string, can: boolean, how: string | null = null): Ability =>
    ({ name, how: can ? how : null, can, disabled: disabled.includes(op) });
  return [
    one("send_text", "text", true, `${count(c.text_limit)} ${unitWords(c.unit)}, ${markups[c.markup]}`),
    one("edit", "edit", c.edit, c.edit_interval_ms === null || c.edit_interval_ms === 0 ? null : `every ${duration(c.edit_interval_ms)}`),
    one("delete", "delete", c.delete),
    one("react", "react", c.react !== null, c.react === null ? null : words(c.react)),
    one("reply", "reply", c.reply !== null, c.reply === null ? null : words(c.reply)),
    one("file", "file", c.file_limit !== null, c.file_limit === null ? null : bytes(c.file_limit)),
    one("voice", "voice", c.voice !== null, c.voice),
    one("typing", "typing", c.typing),
    one("threads", "threads", c.threads),
  ];
}
