/**
 * Answers of `compose` for looking at the view: a few regular expressions in place of the scanner, good enough for
 * plain blocks and headers. Tests of behaviour use recorded answers.
 */
import type { Bubble, ChannelPreview, Compose, Composed, Diagnostic, Directive, Lint, Range } from "../../../generated/wire";
import { byteLength } from "../../../store/text";

const HIDDEN = /(\[\[[^\]]*\]\]\n?)|(<actions>[\s\S]*?<\/actions>\n?)|(<send-file[^>]*>)/g;
const LIMITS = { telegram: 4096, discord: 2000, slack: 4000, whatsapp: 4096, signal: 2000 };
type Simulated = keyof typeof LIMITS;

export function composed({ user_text, agent_output: raw }: Compose): Composed {
  const ranges: Range[] = [];
  const directives: Directive[] = [];
  const lints: Lint[] = [];
  const at = (index: number): number => byteLength(raw.slice(0, index));
  let end = 0;
  let clean = "";
  const show = (to: number): void => {
    if (to <= end) return;
    ranges.push({ span: [at(end), at(to)], fate: "show", reason: null });
    clean += raw.slice(end, to);
  };
  const lint = (code: Diagnostic["code"], severity: Diagnostic["severity"], from: number, to: number, message: string, explanation: string, fix: Diagnostic["fix"]): void => {
    const before = raw.slice(0, from).split("\n");
    const column = (before.at(-1)?.length ?? 0) + 1;
    lints.push({ diagnostic: { code, severity, span: [at(from), at(to)], message, fix }, line: before.length, column, end_line: before.length, end_column: column + to - from, explanation });
  };
  for (const match of raw.matchAll(HIDDEN)) {
    show(match.index);
    const to = match.index + match[0].length;
    const reason = match[1] !== undefined ? "header" : match[2] !== undefined ? "actions_block" : "bare_directive";
    ranges.push({ span: [at(match.index), at(to)], fate: "strip", reason });
    for (const tag of match[0].matchAll(/<(react|send-file|recat)\b([^>]*)>/g)) {
      const from = match.index + tag.index;
      const until = from + tag[0].length;
      const span: [number, number] = [at(from), at(until)];
      const value = (name: string): string | null => new RegExp(`${name}="([^"]*)"`).exec(tag[2] ?? "")?.[1] ?? null;
      if (tag[1] === "react") directives.push({ type: "react", emoji: value("emoji") ?? "", message: value("message"), span });
      else if (tag[1] === "send-file") directives.push({ type: "send_file", path: value("path") ?? "", caption: value("caption"), kind: "image", cleanup: false, channel: null, chat: null, span });
      else
        lint("unknown-directive", "error", from, until, "`<recat>` is not a directive; did you mean `<react>`?", "A tag inside an <actions> block that no dialect knows is taken out and does nothing.", {
          span: [at(from + 1), at(from + 6)], text: "react", title: "Write `react`",
        });
    }
    if (reason === "bare_directive")
      lint("bare-directive", "warning", match.index, to, "`<send-file>` is outside <actions>", "Models often forget the wrapper. The directive runs, but the prompt should ask for the block.", {
        span: [at(match.index), at(to)], text: `<actions>${match[0]}</actions>`, title: "Wrap it in <actions>",
      });
    end = to;
  }
  show(raw.length);
  const reply = /\[\[reply_to:(\w+)\]\]/.exec(raw)?.[1];
  const previews = (Object.keys(LIMITS) as Simulated[]).map((platform) => preview(platform, user_text, clean.trim(), directives, reply));
  return {
    parsed: { clean_text: clean.trim(), suppressed: null, directives, header: reply === undefined ? {} : { reply_to: reply }, actions: [], diagnostics: lints.map((l) => l.diagnostic), ranges },
    lints,
    masked: [],
    redacts: true,
    previews,
    rulers: [],
  };
}

function preview(platform: Simulated, user: string, text: string, directives: readonly Directive[], reply: string | undefined): ChannelPreview {
  const limit = LIMITS[platform];
  const base: Bubble = { message: null, from_bot: true, author: "bot", quote: null, part: { part: "text", text: "" }, reactions: [], edits: 0, deleted: false, length: 0, limit };
  const bubbles: Bubble[] = [
    {
      ...base, from_bot: false, author: "you", part: { part: "text", text: user }, length: user.length,
      reactions: directives.flatMap((d) => (d.type === "react" ? [{ emoji: "👍", sent: platform === "slack" ? d.emoji : "👍" }] : [])),
    },
  ];
  for (let i = 0; i < text.length; i += limit) {
    const piece = text.slice(i, i + limit);
    bubbles.push({ ...base, quote: i === 0 && reply !== undefined ? user.slice(0, 60) : null, part: { part: "text", text: piece }, length: piece.length });
  }
  for (const d of directives)
    if (d.type === "send_file") bubbles.push({ ...base, part: { part: "file", file: { name: d.path.split("/").at(-1) ?? d.path, kind: d.kind, caption: d.caption } } });
  const notes = platform === "whatsapp" || platform === "signal" ? ["No edits: the message is sent once, when it is complete."] : [];
  return { channel: platform, platform, rules: "2026-11", bubbles, typing: false, notes };
}
