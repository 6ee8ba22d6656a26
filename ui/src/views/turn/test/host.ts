/** A backend over hand-made turns: one of each kind the Turn view has to cope with. */
import type { Catalog, CatalogAction, Decision, MessageDetail, Range, TurnDetail, TurnSummary, Why } from "../../../generated/wire";
import { HostFailure, type Args, type CommandName, type Result } from "../../../host/host";
import { RecordedHost, type Recording } from "../../../host/recorded";
import demo from "../../../../recordings/demo";
import { composed } from "../../compose/test/sample";
import { sampleMoment, sampleTurn } from "./sample";

function retold(turn: number, change: Partial<TurnSummary>, rest: Partial<TurnDetail> = {}): TurnDetail {
  const detail = sampleTurn();
  return { ...detail, ...rest, summary: { ...detail.summary, turn, ...change } };
}

/** Narration, a tool, then the answer. */
function narrated(): TurnDetail {
  const base = sampleTurn();
  const main = base.messages[0];
  if (main === undefined) throw new Error("no message");
  const told = "Let me look at the numbers first. ";
  const decisions: Decision[] = [
    { seq: 7990, at_ms: 10, kind: "chunk", message: 0, span: [0, told.length], text: "34 bytes came.", error: false },
    { seq: 7991, at_ms: 10, kind: "range", message: 0, span: [0, told.length - 1], text: "Shown: 33 bytes.", error: false },
    { seq: 7993, at_ms: 30, kind: "agent", message: null, span: null, text: "Tool search is running.", error: false },
    { seq: 7994, at_ms: 70, kind: "agent", message: null, span: null, text: "Tool search is completed.", error: false },
  ];
  const first: MessageDetail = {
    ...main, message: 0, raw: told, clean: told.trim(), narration: true, holds: [], header: {}, diagnostics: [],
    chunks: [{ seq: 7990, at_ms: 0, span: [0, told.length] }],
    ranges: [{ span: [0, told.length - 1], fate: "show", reason: null }, { span: [told.length - 1, told.length], fate: "drop", reason: "trim" }],
  };
  const moved = base.decisions.map((d) => (d.message === 0 ? { ...d, message: 1 } : d));
  return {
    ...retold(813, { user_text: "And the week before?", channel: "discord", sender: "Bob", failed_ops: 1, unknown_ops: 1 }),
    messages: [first, { ...main, message: 1 }],
    decisions: [...decisions, ...moved],
    directives: base.directives.map((d) => ({ ...d, message: 1 })),
  };
}

function blocked(): TurnDetail {
  const decisions: Decision[] = [
    { seq: 1, at_ms: 0, kind: "gate", message: null, span: null, text: "Message 7 came in on signal.", error: false },
    { seq: 2, at_ms: 0, kind: "gate", message: null, span: null, text: "dedupe: first time seen", error: false },
    { seq: 3, at_ms: 1, kind: "gate", message: null, span: null, text: "authorize stopped it (channel_closed): the allow list is empty", error: true },
    { seq: 4, at_ms: 1, kind: "end", message: null, span: null, text: "The turn ended: blocked (channel_closed).", error: false },
  ];
  return retold(
    814,
    { user_text: "Hello? Anyone there?", channel: "signal", sender: "Mallory", answer: "", terminal: { state: "blocked", gate: "channel_closed" }, took_ms: 1, directives: 0, diagnostics: 0, failed_ops: 0, unknown_ops: 0 },
    { messages: [], directives: [], ledger: [], decisions, lanes: [{ lane: "inbound", from_ms: 0, until_ms: 1, label: "channel_closed", seq: 1, error: true }], head: 4, prompt: null, agent: null },
  );
}

const HUGE: Partial<TurnSummary> = {
  user_text: "Print everything", channel: "slack", answer: "Row 00000: the quick…", took_ms: 9500, diagnostics: 0, directives: 0, failed_ops: 0, unknown_ops: 0,
};

/** A megabyte in chunks of 48 bytes, with a leak. */
function huge(): TurnDetail {
  const line = "Row 0000: the quick brown fox <b>jumps</b> over 漢字 👍🏽.\n";
  const raw = Array.from({ length: 16_000 }, (_, i) => line.replace("0000", String(i).padStart(5, "0"))).join("");
  const encoder = new TextEncoder();
  const decisions: Decision[] = [];
  const chunks: MessageDetail["chunks"] = [];
  const ranges: Range[] = [];
  let byte = 0;
  let seq = 10;
  for (let i = 0; i < raw.length; i += 48) {
    let to = Math.min(raw.length, i + 48);
    const unit = raw.charCodeAt(to);
    if (unit >= 0xdc00 && unit < 0xe000) to += 1;
    const from = i === 0 ? 0 : i + (raw.charCodeAt(i) >= 0xdc00 && raw.charCodeAt(i) < 0xe000 ? 1 : 0);
    const end = byte + encoder.encode(raw.slice(from, to)).length;
    const span: [number, number] = [byte, end];
    chunks.push({ seq, at_ms: i / 100, span });
    decisions.push({ seq: seq++, at_ms: i / 100, kind: "chunk", message: 0, span, text: "bytes came", error: false });
    ranges.push({ span, fate: i % 4800 === 0 ? "strip" : "show", reason: i % 4800 === 0 ? "guard" : null });
    decisions.push({ seq: seq++, at_ms: i / 100, kind: "range", message: 0, span, text: "decided", error: false });
    byte = end;
  }
  decisions.push({ seq: seq++, at_ms: 9000, kind: "delivery", message: 0, span: [400_000, 400_020], text: "edit_text #9 showed 20 bytes of a directive.", error: true });
  const base = sampleTurn();
  const edit = base.ledger.find((e) => e.intent.kind === "edit_text");
  if (edit === undefined) throw new Error("no edit");
  const leaked = [{ seq: seq - 1, message: 0, span: [400_000, 400_020] as [number, number], text: "brown fox <b>jumps</" }];
  const main = base.messages[0];
  if (main === undefined) throw new Error("no message");
  const ordered = decisions.sort((a, b) => a.at_ms - b.at_ms || a.seq - b.seq);
  return retold(
    816,
    HUGE,
    { messages: [{ ...main, raw, clean: raw, chunks, ranges, holds: [], header: {}, diagnostics: [] }], directives: [], ledger: [{ ...edit, seq: 20, outcome_seq: 21, leaked }], decisions: ordered, lanes: [{ lane: "agent", from_ms: 0, until_ms: 9000, label: "script", seq: 10, error: false }], head: seq },
  );
}

export class SampleHost extends RecordedHost {
  readonly #turns = new Map<number, TurnDetail>();

  /** What the next turn that is sent in Compose looks like. */
  readonly sent = 812;

  constructor(recording: Recording = demo) {
    super(recording);
    for (const detail of [sampleTurn(), narrated(), blocked(), retold(815, { user_text: "Silence, please", channel: "whatsapp", terminal: { state: "silent", reason: "no_reply" } }), retold(816, HUGE)])
      this.#turns.set(detail.summary.turn, detail);
  }

  override async call<K extends CommandName>(name: K, args: Args<K>): Promise<Result<K>> {
    const own = this.#answer(name, args as never);
    if (own === undefined) return super.call(name, args);
    this.calls.push({ name, args });
    await new Promise((resolve) => setTimeout(resolve));
    return own as Result<K>;
  }

  /** Tells a turn anew, as it goes on. */
  retell(detail: TurnDetail): void {
    this.#turns.set(detail.summary.turn, detail);
  }

  protected override turns(): TurnSummary[] {
    return [...this.#turns.values()].map((d) => d.summary).sort((a, b) => b.turn - a.turn);
  }

  #turn(turn: number): TurnDetail {
    // Told in full only when it is looked at: it is a megabyte.
    if (turn === 816 && this.#turns.get(turn)?.head === sampleTurn().head) this.#turns.set(turn, huge());
    const detail = this.#turns.get(turn);
    if (detail === undefined) throw new HostFailure({ code: "not_found", message: `There is no turn #${turn}.`, hint: null });
    return detail;
  }

  #answer(name: CommandName, args: never): unknown {
    switch (name) {
      case "turns":
        return this.turns();
      case "turn":
        return this.#turn((args as Args<"turn">).turn);
      case "turn_at":
        return sampleMoment(this.#turn((args as Args<"turn_at">).turn), args);
      case "why":
        return why(this.#turn(Number((args as Args<"why">).about)));
      case "fixture_from_turn":
        return { path: "made/turn-812.yaml", text: "name: Turn 812\n" };
      case "fixture_write":
        return { path: (args as Args<"fixture_write">).path, name: "Turn 812", about: "", channels: [], rules: [], error: null };
      case "compose":
        return composed(args);
      case "catalog":
        return catalog();
      case "compose_send":
        return { turn: this.sent };
      default:
        return undefined;
    }
  }
}

function catalog(): Catalog {
  const templates = [
    { code: '<actions>\n  <react emoji="thumbsup" />\n</actions>\n', about: "React to the message" },
    { code: '<actions>\n  <send-file path="out/chart.png" caption="" />\n</actions>\n', about: "Send a file" },
    { code: "[[reply_to:]]", about: "Answer a message" },
    { code: "<no-reply/>", about: "Say nothing" },
  ];
  return { hold_reasons: [], diagnostics: [], range_reasons: [], outcomes: [], stages: [], gates: [], filter_fields: [], templates, commands: [{ code: "/status", about: "Tells the state." }, { code: "/stop", about: "Stops." }], actions };
}

/** Two actions that are on, and one that is off. */
export const actions: CatalogAction[] = [
  {
    name: "bash", about: "Runs one command.", access: "owner", turns: ["message", "delivery"], confirmation: "listed", off: null, template: '{"type":"bash","payload":{"command":""}}',
    keys: [
      { name: "command", about: "The command.", required: true, types: ["string"], values: [] },
      { name: "timeout", about: "The seconds.", required: false, types: ["integer"], values: [] },
      { name: "quiet", about: "Says less.", required: false, types: ["boolean"], values: ["true", "false"] },
    ],
  },
  { name: "event_list", about: "Lists reminders.", access: "anyone", turns: ["message"], confirmation: "never", off: null, template: '{"type":"event_list","payload":{}}', keys: [] },
  {
    name: "light", about: "Switches a light.", access: "anyone", turns: ["message"], confirmation: "never", off: "actions.light.enabled", template: '{"type":"light","payload":{"colour":"blue"}}',
    keys: [{ name: "colour", about: "The colour.", required: true, types: ["string"], values: ['"blue"', '"deep_red"'] }],
  },
];

function why({ summary, decisions }: TurnDetail): Why {
  const steps = decisions.filter((d) => d.kind === "gate").map((d) => ({
    seq: d.seq, stage: d.text.split(/[: ]/)[0] ?? "", no: d.error, text: d.text, inputs: [], source: null, change: null, setting: d.error ? "channels.signal.allow_from" : null,
  }));
  const no = steps.some((s) => s.no);
  return { turn: summary.turn, steps, answer: no ? "The message was stopped by authorize: the allow list of signal is empty, so the channel is closed to everybody." : "The user got an answer." };
}
