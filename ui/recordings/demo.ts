/**
 * A recording for looking at the page in a plain browser and for unit tests. Not part of the app: the build does not
 * contain it. Rows repeat one conversation over the five channels.
 */
import { demoTopics } from "../src/generated/closed";
import type { ChannelCard, DemoStop, EventRow, FixtureCase, FixtureEntry, Pairings, RowFlag, Status } from "../src/generated/wire";
import type { Exchange, Recording, RecordedPush } from "../src/host/recorded";

const START = Date.parse("2026-11-21T13:02:31.482Z");
const at = (ms: number): string => new Date(START + ms).toISOString();
const platforms = ["telegram", "discord", "slack", "whatsapp", "signal"] as const;

/** Stage, type, summary, bytes, flags, milliseconds after the one before. */
const story: readonly [string, string, string, number | null, RowFlag[], number][] = [
  ["finalize", "received", "alice: Can you put the numbers into a chart?", 39, [], 0],
  ["dedupe", "passed", "first time seen", null, [], 1],
  ["authorize", "passed", "alice is on the allow list", null, [], 0],
  ["session", "passed", "telegram:42:alice, 6 turns old", null, [], 2],
  ["prepare", "prepared", "envelope and 12 messages of context", 3184, [], 4],
  ["run", "run_started", "openai gpt-oss-20b", null, [], 11],
  ["run", "chunk", "[[reply_to:4471]]⏎", 18, [], 38],
  ["scan", "held", "17 bytes: header_open, [[reply_to may become a header", 17, ["held"], 0],
  ["scan", "header_read", "reply_to 4471", null, [], 1],
  ["run", "chunk", "<actions>⏎  <react emoji=\"thumbsup\" />⏎", 41, [], 42],
  ["scan", "held", "10 bytes: open_block, an <actions> block is open", 10, ["held"], 0],
  ["run", "chunk", "</actions>⏎", 11, [], 37],
  ["scan", "directive", "react 👍 on the triggering message", 29, [], 0],
  ["deliver", "intended", "react 👍 → m-9312", null, ["dry_run"], 1],
  ["deliver", "ended", "react 👍: done in dry run", null, ["dry_run"], 84],
  ["run", "chunk", "Here is the chart, with last", 28, [], 42],
  ["scan", "decided", "28 bytes shown", 28, [], 0],
  ["deliver", "intended", "send_text “Here is the chart, with last”", 28, ["dry_run"], 2],
  ["deliver", "ended", "send_text: done in dry run", null, ["dry_run"], 61],
  ["run", "chunk", " week marked. <send-file path=\"out/ch", 37, [], 40],
  ["scan", "held", "24 bytes: partial_tag, <send-file may become a directive", 24, ["held"], 0],
  ["preview", "waiting", "edit_interval: the next edit waits 640 ms", null, ["held"], 3],
  ["run", "chunk", "art.png\" /> Anything else?", 26, [], 43],
  ["scan", "diagnosed", "bare-directive: a directive outside an <actions> block", 31, ["warning"], 0],
  ["deliver", "ended", "send_file out/chart.png: not_allowed, the file does not exist", null, ["error", "dry_run"], 12],
  ["deliver", "intended", "edit_text 53 chars", 53, ["dry_run"], 640],
  ["deliver", "ended", "edit_text: done in dry run", null, ["dry_run"], 58],
  ["run", "run_ended", "end of the answer", null, [], 4],
  ["deliver", "idle", "the conversation is idle", null, [], 1],
  ["deliver", "turn_ended", "replied", null, [], 0],
];

function rows(turns: number): EventRow[] {
  const all: EventRow[] = [];
  let seq = 1;
  let now = 0;
  for (let t = 0; t < turns; t += 1) {
    const channel = platforms[t % platforms.length] ?? "telegram";
    now += 700;
    for (const [stage, kind, summary, bytes, flags, after] of story) {
      now += after;
      all.push({ seq, at: at(now), turn: 780 + t, channel, session: `${channel}:42:alice`, stage, kind, summary, bytes, lasted_ms: null, flags, gap: null });
      seq += 1;
    }
    if (t === turns - 8) {
      all.push({ seq, at: at(now), turn: null, channel: null, session: null, stage: "process", kind: "gap", summary: "318 events were not looked at: they came faster than this filter could follow", bytes: null, lasted_ms: null, flags: ["warning"], gap: 318 });
      seq += 318;
    }
    if (t === turns - 3)
      all.push({ seq: seq++, at: at(now + 1), turn: null, channel: "slack", session: null, stage: "channel", kind: "channel_state", summary: "up → rate_limited: the platform asked to wait 30 s", bytes: null, lasted_ms: null, flags: ["warning"], gap: null });
    if (t === turns - 2)
      all.push({ seq: seq++, at: at(now + 2), turn: 780 + t, channel, session: `${channel}:42:alice`, stage: "deliver", kind: "leaked", summary: "8 bytes of <actions> were visible in edit 2", bytes: 8, lasted_ms: null, flags: ["leaked", "error"], gap: null });
  }
  return all;
}

const limits = {
  telegram: [4096, "utf16"], discord: [2000, "scalars"], slack: [40000, "scalars"], whatsapp: [4096, "scalars"], signal: [2000, "scalars"],
} as const;

function card(platform: keyof typeof limits, rest: Partial<ChannelCard> = {}): ChannelCard {
  const [text_limit, unit] = limits[platform];
  const edit = platform !== "whatsapp" && platform !== "signal";
  return {
    channel: platform, simulated: platform !== "telegram", state: "up", since: at(-420_000), why: "switched on by the configuration", on: true, armed: false,
    capabilities: {
      platform, text_limit, caption_limit: 1024, unit, edit, delete: edit, edit_interval_ms: edit ? 1500 : null,
      react: platform === "telegram" ? "fixed_set" : platform === "slack" ? "shortcode" : "unicode", reply: platform === "slack" ? "thread" : "message",
      file_limit: 50_000_000, image_limit: null, audio_limit: null, voice: platform === "telegram" ? "note" : "attachment", typing: platform !== "slack",
      threads: platform === "slack", markup: platform === "signal" ? "plain" : "markdown", mention: platform === "signal" ? null : "<@{id}>", flags: ["suppress_embeds"], idempotency_key: platform === "discord", redelivery_ms: platform === "whatsapp" ? 7 * 24 * 3_600_000 : null,
    },
    disabled: [], allow_from: ["*"], direct: "everybody", groups: "everybody, when the bot is mentioned", limited_until: null, needs_consent: 0, messages_need_consent: 0, outgoing: 0, consent_after_ms: 600_000,
    counters: { received: 1284, stopped: 0, sent: 0, dry_run: 3121, failed: 0, unsupported: 0, unknown: 0, held: 0 }, errors: [], ...rest,
  };
}

const channels: ChannelCard[] = [
  card("telegram", { allow_from: ["alice", "bob"], direct: "alice, bob, and whom an operator approved; others get a code", groups: "alice, bob, when the bot is mentioned", counters: { received: 412, stopped: 0, sent: 0, dry_run: 982, failed: 3, unsupported: 0, unknown: 1, held: 0 },
    errors: [{ at: at(31_000), count: 1, message: "send_file out/chart.png: the file does not exist", hint: "Put it below files.send_dir, or fix the prompt.", seq: 25 }] }),
  card("discord"),
  card("slack", { state: "rate_limited", why: "the platform asked to wait 30 s", since: at(0), limited_until: new Date(Date.now() + 28_000).toISOString() }),
  card("whatsapp", { on: false, state: "off", why: "switched off at the console", needs_consent: 2, outgoing: 2, counters: { received: 96, stopped: 31, sent: 0, dry_run: 208, failed: 0, unsupported: 14, unknown: 0, held: 5 } }),
  card("signal", { state: "degraded", why: "uploads fail, text goes on", disabled: ["voice"], allow_from: [], direct: "nobody: the allow list is empty", groups: "nobody: the allow list is empty",
    errors: [{ at: at(-60_000), count: 1, message: "Upload refused: the daemon answered 413.", hint: "Raise the daemon's limit or send smaller files.", seq: 140 }] }),
];

const status: Status = {
  configuration: null, replayed: false, agents: "script (the built-in demonstration)", unknown_turns: [], leaks: 0, masked: 0, faults: 0, since: "2026-11-21T07:00:00Z", stopped: null,
  demo: { phase: "playing", round: 1, rounds: 10, written: 4, messages: 11, next_round_at: null },
  workspace: "demo workspace", version: "0.1.0", armed: [], channels: 5, muted: false, events_per_second: 184, dropped: 0, p95_turn_ms: 1840,
  running: 1, waiting: 0, unknown: 1, head: 0,
};

const names: readonly [string, string, string, string[]][] = [
  ["directives/reaction-then-text.yaml", "A reaction, then text", "The documented example of the response directives.", ["G2.react", "G3.block"]],
  ["directives/bare-send-file.yaml", "A bare send-file", "A directive outside a block works and is reported.", ["G3.bare"]],
  ["directives/voice-note.yaml", "A voice note", "Voice is skipped where there is none.", ["G2.voice"]],
  ["directives/code-is-text.yaml", "Directives in code are text", "Fences and spans are respected.", ["G3.code"]],
  ["silence/no-reply.yaml", "No reply", "A marker alone suppresses the answer.", ["G4.marker"]],
  ["silence/token-in-prose.yaml", "NO_REPLY in prose", "A token beside text is text.", ["G4.token"]],
  ["header/reply-to.yaml", "Reply to a message", "The first message is sent as a reply.", ["G5.reply"]],
  ["threads/five-bots.yaml", "Five bots and a person", "A bot answers another bot's message.", ["G5.thread", "S.activation"]],
];
const fixtures: FixtureEntry[] = [
  ...names.map(([path, name, about, rules]) => ({ path, name, about, rules, channels: [...platforms], error: null })),
  { path: "broken/indent.yaml", name: "indent.yaml", about: "", rules: [], channels: [], error: "line 7: `agnet` is not a step; did you mean `agent`?" },
];
const cases: FixtureCase[] = names.flatMap(([path, name], n) => platforms.map((channel, c): FixtureCase => {
  const bad = n === 1 && (c === 1 || c === 4);
  return {
    path, fixture: name, channel, verdict: bad ? "fail" : n === 2 && c === 2 ? "changed" : "pass", deliveries: [],
    mismatches: bad ? [{ at: "expect[1].send.text", expected: "Here is the chart.", actual: "Here is the chart", message: "the text ends without its full stop" }] : [],
    comparison: { expected: "react 👍 → m1\nsend “Here is the chart.”\nfile out/chart.png (image)\n", actual: `react 👍 → m1\nsend “Here is the chart${bad ? "" : "."}”\nfile out/chart.png (image)\n` },
  };
}));

const yaml = `name: A bare send-file
about: A directive outside a block works and is reported.
channel: [telegram, discord, slack, whatsapp, signal]
rules: [G3.bare]
steps:
  - user: {text: "Chart, please", from: alice, id: m1, chat: direct}
  - agent:
      - "Here is the chart."
      - {text: "<send-file path=\\"out/chart.png\\" />", after_ms: 40}
expect:
  - send: {text: "Here is the chart."}
  - file: {path: out/chart.png, kind: image}
`;

const calls: Exchange[] = [
  { name: "status", result: status },
  { name: "channels", result: channels },
  { name: "faults", result: [...channels.map(({ channel }) => ({ place: { of: "channel", channel }, planned: [] })), { place: { of: "agent", agent: "script" }, planned: [] }] },
  { name: "pairings", result: {
    channels: ["telegram"],
    pending: [{ channel: "telegram", sender: "7004711", name: "Mallory", code: "Q7RKX2MP", since: new Date(Date.now() - 300_000).toISOString(), until: new Date(Date.now() + 3_300_000).toISOString() }],
    replaced: [],
    approved: [{ channel: "telegram", sender: "7000815", name: "Carol", by: "cli", at: at(-86_400_000), in_force: true }],
  } satisfies Pairings },
  { name: "log_tail", result: [
    { at: at(-9000), level: "info", target: "foldback::serve", message: "journal opened, head 12,204" },
    { at: at(-8000), level: "warn", target: "foldback::channels", message: "signal: the allow list is empty, so the channel is closed to everybody" },
    { at: at(-7000), level: "info", target: "foldback::agents", message: "agent script ready, 5 scenarios" },
    { at: at(100), level: "error", target: "foldback::deliver", message: "op 812 refused: not_allowed (file does not exist)" },
  ] },
  { name: "filter_check", args: { text: "chanel:discord" }, result: { error: { span: [0, 6], message: "unknown field “chanel”", suggestion: "channel" } } },
  { name: "filter_check", result: { error: null } },
  { name: "filter_complete", args: { text: "c" }, result: [
    { span: [0, 1], text: "channel:", about: "Channel, e.g. channel:discord." },
    { span: [0, 1], text: "bytes>", about: "More than, e.g. bytes>2k." },
  ] },
  { name: "filter_complete", result: [] },
  { name: "fixtures", result: fixtures },
  { name: "fixture_run", result: { run: 1, cases: cases.length } },
  { name: "fixture_cancel", result: {} },
  { name: "fixture_read", result: { path: "directives/bare-send-file.yaml", text: yaml } },
  { name: "fixture_accept", result: { path: "directives/bare-send-file.yaml", text: yaml } },
  { name: "fixture_write", result: fixtures[1] },
  { name: "demo_pause", result: { ...status, demo: { ...status.demo, phase: "paused" } } },
  { name: "demo_play", result: status },
  { name: "demo_stops", result: demoTopics.map(({ code }) => ({ topic: code, turn: null, seq: null })) satisfies DemoStop[] },
  { name: "mute", args: { muted: true }, result: { ...status, muted: true } },
  { name: "mute", result: status },
  { name: "channel_reach", result: {
    channel: "telegram", allow_from: ["42"], chats_total: 1, answered_total: 1, messages: 6, since: at(-86_400_000),
    chats: [{ chat: "42", chat_type: "direct", name: "Alice", people: 1, messages: 6, stopped: 0, last_at: at(-60_000), last_text: "Can you put the numbers into a chart?", last_turn: 812 }],
    rates: [{ hours: 1, turns: 2, turns_filter: "channel:telegram kind:received", sent: 3, sent_filter: "channel:telegram outcome:dry_run" }, { hours: 24, turns: 6, turns_filter: "channel:telegram kind:received", sent: 9, sent_filter: "channel:telegram outcome:dry_run" }],
    waiting: [], waiting_total: 0, sends_total: 0,
  } },
  { name: "channel_arm", result: { ...channels[0], armed: true } },
  { name: "channel_switch", args: { channel: "whatsapp", on: true }, result: card("whatsapp", { state: "connecting", why: "switched on at the console" }) },
  { name: "release_held", result: card("whatsapp", { on: false, state: "off", why: "switched off at the console" }) },
  { name: "event", result: { row: rows(1)[10], event: { seq: 11, at: at(90), turn: 780, session: "telegram:42:alice", channel: "telegram",
    kind: { type: "held", message: 0, hold: { span: [18, 28], reason: "open_block", rule: "G3.block", because: "an <actions> block is open since byte 18", releases: "</actions>, or the end of the message" } } } } },
];

const steps = 8;
const pushes: RecordedPush[] = Array.from({ length: steps }, (_, i) => {
  const size = cases.length / steps;
  return { after: "fixture_run", after_ms: 120 * (i + 1),
    push: { push: "fixtures", progress: { run: 1, done: (i + 1) * size, cases: cases.length, ended: cases.slice(i * size, (i + 1) * size) } } };
});

const recording: Recording = { rows: rows(40), calls, pushes };
export default recording;
