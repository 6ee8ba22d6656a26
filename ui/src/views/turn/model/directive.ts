/** A directive in a few words, the same wherever one is shown. */
import type { Directive } from "../../../generated/wire";

const TAGS: Record<Directive["type"], string> = { react: "react", send_file: "send-file", voice: "voice", send_message: "send-message" };

/** The tag's name, as an agent writes it. */
export function tagOf({ type }: Directive): string {
  return TAGS[type];
}

/** What it is about, short. */
export function subjectOf(directive: Directive): string {
  switch (directive.type) {
    case "react":
      return directive.emoji;
    case "send_file":
      return directive.path;
    case "voice":
      return directive.text;
    case "send_message":
      return `${directive.channel} · ${directive.chat}`;
  }
}

/** What else it says, in words; empty when nothing. */
export function detailOf(directive: Directive): string {
  switch (directive.type) {
    case "react":
      return directive.message === null ? "on the triggering message" : `on message ${directive.message}`;
    case "send_file": {
      const { kind, caption, cleanup, channel, chat } = directive;
      const elsewhere = channel === null && chat === null ? "" : `to ${[channel, chat].filter((p) => p !== null).join(" · ")}`;
      return [`as ${kind}`, caption === null ? "" : `“${caption}”`, elsewhere, cleanup ? "deleted afterwards" : ""].filter((p) => p !== "").join(" · ");
    }
    case "voice":
      return "spoken";
    case "send_message":
      return `“${directive.text}”`;
  }
}
