import { describe, expect, it } from "vitest";
import type { Decision } from "../../../generated/wire";
import { sampleTurn } from "../test/sample";
import { ByteText } from "../../../store/text";
import { stepCharacter, Timeline, type Position, type Step } from "./timeline";

const detail = sampleTurn();
const timeline = new Timeline(detail);
const maps = detail.messages.map((m) => new ByteText(m.raw));
const chunks = detail.messages[0]?.chunks ?? [];

function walk(by: Exclude<Step, "byte">, from: Position, way: 1 | -1): Position[] {
  const found: Position[] = [];
  for (let at = timeline.step(from, by, way); at !== null; at = timeline.step(at, by, way)) found.push(at);
  return found;
}

describe("stepping", () => {
  it("by chunk stops once at every chunk, after what the scanner said about it", () => {
    const stops = walk("chunk", timeline.begin, 1);
    expect(stops).toHaveLength(chunks.length);
    stops.forEach((stop, i) => {
      const seq = chunks[i]?.seq ?? 0;
      expect(stop.seq).toBeGreaterThanOrEqual(seq);
      const between = detail.decisions.filter((d) => d.seq > seq && d.seq <= stop.seq).map((d) => d.kind);
      expect(between.every((k) => ["hold", "range", "directive", "diagnostic"].includes(k))).toBe(true);
    });
    // The sixth chunk begins the hold: its moment knows about it.
    const hold = detail.messages[0]?.holds.at(-1);
    expect(stops[5]?.seq).toBeGreaterThanOrEqual(hold?.seq ?? Infinity);
  });

  it("goes back the way it came", () => {
    for (const by of ["chunk", "decision", "delivery", "error", "held"] as const) {
      const there = walk(by, { ...timeline.begin, seq: 0 }, 1);
      const back = walk(by, { ...timeline.end, seq: timeline.end.seq + 1 }, -1);
      expect(back.reverse().map((p) => p.seq)).toEqual(there.map((p) => p.seq));
    }
  });

  it("by delivery and by error stops at those only", () => {
    const kinds = (stops: Position[]): (string | undefined)[] => stops.map((p) => detail.decisions.find((d) => d.seq === p.seq)?.kind);
    expect(new Set(kinds(walk("delivery", timeline.begin, 1)))).toEqual(new Set(["delivery"]));
    expect(walk("error", timeline.begin, 1)).toHaveLength(1);
  });

  it("ends at the edges", () => {
    expect(timeline.step(timeline.end, "chunk", 1)).toBeNull();
    expect(timeline.step(timeline.begin, "decision", -1)).toBeNull();
  });

  it("by byte moves one character, within a chunk and over its edge", () => {
    const first = timeline.step(timeline.begin, "chunk", 1);
    if (first === null) throw new Error("no chunk");
    const second = timeline.stepByte(first, 1, maps);
    expect(second?.byte).toEqual([0, 19]);
    const back = timeline.stepByte(second ?? first, -1, maps);
    expect(back).toEqual(first);
    const before = timeline.stepByte(first, -1, maps);
    expect(before?.byte).toEqual([0, 17]);
    expect(before?.seq).toBe(chunks[0]?.seq);
  });

  it("by chunk from within a chunk goes to its end first", () => {
    const inside = timeline.atByte(0, 5);
    expect(inside.byte).toEqual([0, 5]);
    expect(timeline.step(inside, "chunk", 1)).toEqual(timeline.atByte(0, 18));
  });

  it("stays where it is at the ends of the text", () => {
    expect(timeline.stepByte(timeline.end, 1, maps)).toBeNull();
    expect(timeline.stepByte(timeline.atByte(0, 0), -1, maps)).toBeNull();
  });
});

describe("characters", () => {
  it("are stepped over whole, both ways", () => {
    const text = new ByteText("a👍b€");
    const walk = (from: number, way: 1 | -1): number[] => {
      const found = [from];
      for (let at = stepCharacter(text, from, way); at !== found.at(-1); at = stepCharacter(text, at, way)) found.push(at);
      return found;
    };
    expect(walk(0, 1)).toEqual([0, 1, 5, 6, 9]);
    expect(walk(9, -1)).toEqual([9, 6, 5, 1, 0]);
    // From inside a character one goes to its beginning.
    expect(stepCharacter(text, 3, -1)).toBe(1);
  });
});

describe("places", () => {
  it("by time is what had happened by then", () => {
    expect(timeline.atTime(1e9)).toEqual(timeline.end);
    expect(timeline.atTime(0).seq).toBe(detail.decisions[0]?.seq);
    const at = timeline.atTime(90 + 204);
    expect(at.seq).toBe(timeline.atByte(0, chunks[5]?.span[1] ?? 0).seq);
  });

  it("by event settles on chunks and takes other events as they are", () => {
    const chunk = chunks[5]?.seq ?? 0;
    expect(timeline.atSeq(chunk).seq).toBeGreaterThan(chunk);
    const end = detail.decisions.at(-1)?.seq ?? 0;
    expect(timeline.atSeq(end)).toMatchObject({ seq: end, byte: null });
  });

  it("a turn without any chunk can be stood on", () => {
    const blocked = new Timeline({ ...detail, messages: [], decisions: detail.decisions.slice(0, 2), head: 8002 });
    expect(blocked.step(blocked.begin, "chunk", 1)).toBeNull();
    expect(blocked.stepByte(blocked.begin, 1, [])).toBeNull();
    expect(blocked.step(blocked.begin, "decision", 1)?.seq).toBe(8002);
  });
});

it("does not last longer for what became known after the turn, which can still be stepped to", () => {
  const last = detail.decisions.at(-1);
  if (last === undefined) throw new Error("no decision");
  // The backend puts it at the turn's end, whenever it was told.
  const lost: Decision = { ...last, seq: detail.head + 1, at_ms: detail.summary.took_ms, kind: "delivery", text: "op 3 did not arrive: known since 2026-11-23", error: true };
  const late = new Timeline({ ...detail, head: lost.seq, decisions: [...detail.decisions, lost] });
  expect(late.duration).toBe(detail.summary.took_ms);
  expect(late.step({ ...timeline.end, seq: detail.head }, "delivery", 1)).toEqual({ seq: lost.seq, atMs: detail.summary.took_ms, byte: null });
  expect(late.atTime(detail.summary.took_ms)).toEqual(late.end);
});
