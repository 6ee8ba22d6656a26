/** What a person plans to go wrong, as they fill it in. */
import type { AgentFault, CallFailure, ChannelCard, ChunkCut, Fault, FaultPlace, OpKind } from "../../generated/wire";

/** Hits every call from the first one on. */
export const FOR_EVER = 4_294_967_295;

/** A form for calls and runs alike; what does not apply is not looked at. */
export interface Draft {
  op: OpKind;
  fail: CallFailure | "";
  waitMs: number;
  latencyMs: number;
  firstByteMs: number;
  afterBytes: number;
  stallMs: number;
  runFail: AgentFault | "";
  cut: ChunkCut | "";
  nth: number;
  times: number;
  forEver: boolean;
}

export const blank = (): Draft => ({
  op: "send_text", fail: "", waitMs: 0, latencyMs: 0, firstByteMs: 0, afterBytes: 0, stallMs: 0, runFail: "", cut: "", nth: 1, times: 1, forEver: false,
});

export interface Preset {
  readonly id: string;
  readonly title: string;
  readonly draft: Partial<Draft>;
}

/** What happens to bots most often, on a platform and with an agent. */
export const callPresets: readonly Preset[] = [
  { id: "limited", title: "429", draft: { fail: "rate_limited", waitMs: 1500 } },
  { id: "slow", title: "Slow", draft: { latencyMs: 3000 } },
  { id: "edit", title: "Edit refused", draft: { op: "edit_text", fail: "rejected" } },
  { id: "big", title: "File too big", draft: { op: "send_file", fail: "too_long" } },
  { id: "lost", title: "Response lost", draft: { fail: "lost_ack" } },
  { id: "disconnect", title: "Disconnect", draft: { fail: "disconnect", waitMs: 5000 } },
  { id: "forbidden", title: "Removed from the chat (403)", draft: { fail: "forbidden" } },
  { id: "unauthorized", title: "Token refused (401)", draft: { fail: "unauthorized" } },
];

export const runPresets: readonly Preset[] = [
  { id: "overloaded", title: "Overloaded", draft: { runFail: "overloaded" } },
  { id: "slow-start", title: "Slow first byte", draft: { firstByteMs: 8000 } },
  { id: "stall", title: "Stall", draft: { afterBytes: 40, stallMs: 10_000 } },
  { id: "cut-off", title: "Cut mid-stream", draft: { afterBytes: 40, runFail: "disconnected" } },
  { id: "burst", title: "Burst", draft: { cut: "burst" } },
  { id: "bytes", title: "Byte by byte", draft: { cut: "bytes" } },
];

/** Whether a failure asks for a time. */
export const waits = (fail: CallFailure | ""): boolean => fail === "rate_limited" || fail === "disconnect";

const whole = (n: number): number => Math.max(0, Math.round(Number.isFinite(n) ? n : 0));

/** The fault that a form describes. */
export function faultOf(place: FaultPlace, draft: Draft): Fault {
  const which = { nth: Math.max(1, whole(draft.nth)), times: draft.forEver ? FOR_EVER : Math.max(1, whole(draft.times)) };
  if (place.of === "agent") {
    return {
      run: {
        ...which, first_byte_ms: whole(draft.firstByteMs), after_bytes: whole(draft.afterBytes), stall_ms: whole(draft.stallMs),
        ...(draft.runFail === "" ? {} : { fail: draft.runFail }), ...(draft.cut === "" ? {} : { cut: draft.cut }),
      },
    };
  }
  return {
    call: {
      ...which, op: draft.op, latency_ms: whole(draft.latencyMs),
      ...(draft.fail === "" ? {} : { fail: draft.fail }), ...(waits(draft.fail) ? { retry_after_ms: whole(draft.waitMs) } : {}),
    },
  };
}

/** Whether it would change anything. */
export function does(place: FaultPlace, draft: Draft): boolean {
  return place.of === "agent"
    ? draft.runFail !== "" || draft.cut !== "" || whole(draft.firstByteMs) > 0 || whole(draft.stallMs) > 0
    : draft.fail !== "" || whole(draft.latencyMs) > 0;
}

export const nameOf = (place: FaultPlace): string => (place.of === "channel" ? place.channel : `the agent ${place.agent}`);
export const keyOf = (place: FaultPlace): string => (place.of === "channel" ? `channel:${place.channel}` : `agent:${place.agent}`);

/** What a call does, where a channel can be without it. */
const OPTIONAL: Readonly<Partial<Record<OpKind, readonly [words: string, can: (capabilities: ChannelCard["capabilities"]) => boolean]>>> = {
  edit_text: ["edit messages", (c) => c.edit],
  delete: ["delete messages", (c) => c.delete],
  react: ["react", (c) => c.react !== null],
  send_file: ["send files", (c) => c.file_limit !== null],
  send_voice: ["send voice", (c) => c.voice !== null],
  typing: ["show typing", (c) => c.typing],
};

/** Why no call of this kind will come that a fault could hit; `null` where one may. */
export function unmet({ channel, capabilities }: ChannelCard, op: OpKind): string | null {
  const [words, can] = OPTIONAL[op] ?? [];
  return words === undefined || can === undefined || can(capabilities) ? null : `${channel} cannot ${words}: no such call comes, and the fault hits nothing.`;
}
