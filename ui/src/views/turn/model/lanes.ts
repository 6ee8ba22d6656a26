/** The waterfall: bars in lanes over the time of the turn. */
import type { Decision, Lane, LaneSpan, TurnDetail } from "../../../generated/wire";
import { readable } from "../../../store/glyphs";

/** Lanes in the order of a message's way. */
export const LANES: readonly Lane[] = ["inbound", "agent", "thinking", "tools", "permission", "actions", "held", "directives", "delivery"];

/** Lanes of what many agents never do: shown where there is something in them. */
const RARE: ReadonlySet<Lane> = new Set(["thinking", "tools", "permission", "actions"]);

/** The lanes of a turn. */
export const lanesOf = (bars: Record<Lane, readonly Bar[]>): Lane[] => LANES.filter((lane) => !RARE.has(lane) || bars[lane].length > 0);

export interface Bar {
  lane: Lane;
  /** Share of the width, 0–1. */
  from: number;
  until: number;
  label: string;
  /** The events to select; several where bars too close to be told apart were joined. */
  seqs: number[];
  error: boolean;
  fromMs: number;
  /** `null` while it lasts. */
  untilMs: number | null;
  /** Bars at the same time lie on different tracks of their lane. */
  track: number;
}

/** Tracks beyond this would be too thin to be seen; further bars share the last one. */
export const MOST_TRACKS = 3;

/** Lanes with more bars than this are thinned: an agent that writes byte by byte can be held ten thousand times. */
const CROWD = 200;

/** Bars by lane over `width` pixels; one that lasts reaches the end of the turn. */
export function barsOf(lanes: readonly LaneSpan[], duration: number, width = Infinity): Record<Lane, Bar[]> {
  const found: Record<Lane, Bar[]> = { inbound: [], agent: [], thinking: [], tools: [], permission: [], actions: [], held: [], directives: [], delivery: [] };
  const ends: Record<Lane, number[]> = { inbound: [], agent: [], thinking: [], tools: [], permission: [], actions: [], held: [], directives: [], delivery: [] };
  for (const span of lanes) {
    const until = span.until_ms ?? duration;
    const free = ends[span.lane].findIndex((end) => end <= span.from_ms);
    const track = Math.min(MOST_TRACKS - 1, free === -1 ? ends[span.lane].length : free);
    ends[span.lane][track] = Math.max(until, ends[span.lane][track] ?? 0);
    found[span.lane].push({
      lane: span.lane,
      from: Math.min(1, span.from_ms / duration),
      until: Math.min(1, until / duration),
      label: span.label,
      seqs: [span.seq],
      error: span.error,
      fromMs: span.from_ms,
      untilMs: span.until_ms,
      track,
    });
  }
  for (const lane of LANES) if (found[lane].length > CROWD) found[lane] = joined(found[lane], 1 / Math.max(1, width));
  return found;
}

/** Joins bars that are less than a pixel apart, as long as they ended alike. */
function joined(bars: readonly Bar[], pixel: number): Bar[] {
  const result: Bar[] = [];
  const last = new Map<number, Bar>();
  for (const bar of bars) {
    const before = last.get(bar.track);
    if (before !== undefined && before.error === bar.error && bar.from - before.until < pixel) {
      before.until = Math.max(before.until, bar.until);
      before.untilMs = bar.untilMs;
      before.seqs.push(...bar.seqs);
      if (before.label !== bar.label) before.label = bar.lane;
    } else {
      last.set(bar.track, bar);
      result.push(bar);
    }
  }
  return result;
}

/**
 * When the chunks came, as shares of the width. Thousands of marks would be a solid bar: at most one per
 * `1 / slots` of the width is kept.
 */
export function chunkMarks(detail: TurnDetail, duration: number, slots = 400): number[] {
  const marks: number[] = [];
  let last = -1;
  for (const decision of detail.decisions) {
    if (decision.kind !== "chunk") continue;
    const at = Math.min(1, decision.at_ms / duration);
    const slot = Math.floor(at * slots);
    if (slot !== last) marks.push(at);
    last = slot;
  }
  return marks;
}

/** A step of the turn that is too short for a bar. */
export interface Tick {
  lane: Lane;
  /** Share of the width. */
  at: number;
  seq: number;
  text: string;
  error: boolean;
}

/** What is a step in which lane: gates on the way in, what the agent does, findings about directives. */
const STEPS: Partial<Record<Decision["kind"], Lane>> = { gate: "inbound", agent: "agent", diagnostic: "directives" };

/** Steps as marks in their lanes, at most one per `1 / slots` of the width; a failure displaces what is none. */
export function stepsOf(detail: TurnDetail, duration: number, slots = 200): Tick[] {
  const kept = new Map<string, Tick>();
  const faults = new Set(detail.faults.map((fault) => fault.seq));
  for (const { seq, at_ms, kind, text, error } of detail.decisions) {
    const lane = STEPS[kind];
    if (lane === undefined || faults.has(seq)) continue;
    const at = Math.min(1, at_ms / duration);
    const slot = `${lane}:${Math.floor(at * slots)}`;
    const before = kept.get(slot);
    if (before === undefined || (error && !before.error)) kept.set(slot, { lane, at, seq, text: readable(text), error });
  }
  return [...kept.values()];
}

/** Planned faults where they hit, each in the lane of what went wrong. */
export function faultsOf(detail: TurnDetail, duration: number): Tick[] {
  return detail.faults.map(({ seq, at_ms, number, op, about }) => ({
    lane: op === null ? "agent" : "delivery", at: Math.min(1, at_ms / duration), seq, text: `planned fault ${number}: ${about}`, error: false,
  }));
}

/** Round times for the axis, about `about` of them. */
export function ticksOf(duration: number, about = 8): number[] {
  const rough = duration / about;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? power * 10;
  const ticks: number[] = [];
  for (let at = 0; at <= duration; at += step) ticks.push(at);
  return ticks;
}
