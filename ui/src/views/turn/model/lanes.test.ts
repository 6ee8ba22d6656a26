import { describe, expect, it } from "vitest";
import type { Decision } from "../../../generated/wire";
import { sampleMoment, sampleTurn } from "../test/sample";
import { barsOf, chunkMarks, faultsOf, lanesOf, stepsOf, ticksOf } from "./lanes";
import { Playback } from "./playback";
import { Timeline } from "./timeline";
import { whyAt } from "./why";

const detail = sampleTurn();
const timeline = new Timeline(detail);

describe("waterfall", () => {
  it("puts bars into their lanes as shares of the turn", () => {
    const bars = barsOf(detail.lanes, 1810);
    expect(bars.held).toHaveLength(3);
    expect(bars.delivery.map((b) => b.error)).toEqual([false, false, true, false]);
    expect(bars.inbound[0]).toMatchObject({ from: 0, until: 60 / 1810 });
  });

  it("puts bars of the same time on tracks of their own, three at most", () => {
    const bar = (from_ms: number, until_ms: number) => ({ lane: "delivery" as const, from_ms, until_ms, label: "", seq: 1, error: false });
    const bars = barsOf([bar(0, 10), bar(5, 20), bar(10, 15), bar(11, 12), bar(11, 12), bar(30, 31)], 100);
    expect(bars.delivery.map((b) => b.track)).toEqual([0, 1, 0, 2, 2, 0]);
  });

  it("joins bars that nobody could tell apart where there are very many, and keeps failures apart", () => {
    const many = Array.from({ length: 3000 }, (_, i) => ({
      lane: "held" as const, from_ms: i * 10, until_ms: i * 10 + 10, label: "partial_tag", seq: i, error: i === 1500,
    }));
    const { held } = barsOf(many, 30_000, 1000);
    expect(held.map((b) => [b.seqs.length, b.error])).toEqual([[1500, false], [1, true], [1499, false]]);
    expect(barsOf(many.slice(0, 100), 30_000, 1000).held).toHaveLength(100);
  });

  it("has lanes for the wait for a person and for commands where there are any", () => {
    const bar = (lane: "permission" | "actions", from_ms: number, until_ms: number) => ({ lane, from_ms, until_ms, label: "bash: df -h", seq: 1, error: false });
    expect(lanesOf(barsOf([], 100))).toEqual(["inbound", "agent", "held", "directives", "delivery"]);
    expect(lanesOf(barsOf([bar("permission", 0, 40), bar("actions", 41, 90)], 100))).toEqual(["inbound", "agent", "permission", "actions", "held", "directives", "delivery"]);
  });

  it("lets what lasts reach the end", () => {
    const bars = barsOf([{ lane: "agent", from_ms: 50, until_ms: null, label: "", seq: 1, error: false }], 100);
    expect(bars.agent[0]).toMatchObject({ from: 0.5, until: 1, untilMs: null });
  });

  it("thins chunk marks that nobody could tell apart", () => {
    const chunk = detail.decisions.find((d) => d.kind === "chunk");
    if (chunk === undefined) throw new Error("no chunk");
    const decisions = Array.from({ length: 5000 }, (_, i) => ({ ...chunk, at_ms: i }));
    expect(chunkMarks({ ...detail, decisions }, 5000, 100)).toHaveLength(100);
    expect(chunkMarks(detail, timeline.duration)).toHaveLength(7);
  });

  it("marks steps in their lanes, and never loses a failure among its neighbours", () => {
    const steps = stepsOf(detail, timeline.duration);
    expect(steps.map((s) => s.lane)).toContain("inbound");
    expect(steps.find((s) => s.lane === "directives")?.text).toContain("bare-directive");
    const gate = (at_ms: number, error: boolean) => ({ seq: at_ms, at_ms, kind: "gate" as const, message: null, span: null, text: "", error });
    const crowd = Array.from({ length: 1000 }, (_, i) => gate(i, i === 517));
    const kept = stepsOf({ ...detail, decisions: crowd }, 1000, 10);
    expect(kept).toHaveLength(10);
    expect(kept.filter((s) => s.error).map((s) => s.seq)).toEqual([517]);
  });

  it("marks a planned fault once, in the lane of what went wrong", () => {
    const agent = detail.decisions.find((d) => d.kind === "agent");
    if (agent === undefined) throw new Error("no step of the agent");
    const faults = [
      { seq: agent.seq, at_ms: agent.at_ms, number: 1, op: null, about: "run 1: stalls for 10 ms" },
      { seq: 9_999, at_ms: 90_000, number: 2, op: 5, about: "send_text 1: gone" },
    ];
    const hit = { ...detail, faults };
    expect(faultsOf(hit, timeline.duration).map(({ lane, text }) => [lane, text])).toEqual([
      ["agent", "planned fault 1: run 1: stalls for 10 ms"], ["delivery", "planned fault 2: send_text 1: gone"],
    ]);
    expect(faultsOf(hit, timeline.duration).every(({ at }) => at >= 0 && at <= 1)).toBe(true);
    expect(stepsOf(hit, timeline.duration).map((s) => s.seq)).not.toContain(agent.seq);
  });

  it("has round ticks", () => {
    expect(ticksOf(2310, 8)).toEqual([0, 500, 1000, 1500, 2000]);
    expect(ticksOf(1)).toEqual([0, 1]);
  });
});

describe("playing", () => {
  it("follows the time of the turn at its speed, and skips no long gap", () => {
    const playback = new Playback();
    playback.start(100);
    expect(playback.frame(1000, 1)).toBe(100);
    expect(playback.frame(1016, 1)).toBe(116);
    expect(playback.frame(1032, 10)).toBe(276);
    expect(playback.frame(9000, 1)).toBe(376);
  });
});

describe("why", () => {
  const at = (chunk: number, later = 0) => {
    const position = timeline.atSeq(detail.messages[0]?.chunks[chunk]?.seq ?? 0);
    return whyAt(sampleMoment(detail, { turn: 812, seq: position.seq, byte: null }), position.atMs + later);
  };

  it("says what is held, by which rule, and what releases it", () => {
    const why = at(5);
    expect(why.tone).toBe("held");
    expect(why.lines.map((l) => l.term)).toEqual(["Hold", "Bytes", "Rule", "Inputs", "Effect", "Held"]);
    expect(why.lines.at(-1)).toEqual({ term: "Held", text: "24 bytes for 0 ms, since +294 ms, reason", code: "partial_tag" });
  });

  it("counts what is held up to the time one stands at, also between two events", () => {
    expect(at(5, 140).lines.find((l) => l.term === "Held")?.text).toBe("24 bytes for 140 ms, since +294 ms, reason");
  });

  it("says the decision where nothing is held", () => {
    expect(at(4).lines.map((l) => l.term)).toEqual(["Decided", "Bytes", "Rule", "Inputs", "Effect"]);
    expect(at(4).lines[1]?.raw).toBe(detail.messages[0]?.raw.slice(...(timeline.decisionAt(timeline.atSeq(detail.messages[0]?.chunks[4]?.seq ?? 0))?.span ?? [0, 0])));
    expect(at(4).tone).toBe("plain");
  });

  it("says what delivery waits for", () => {
    const last = detail.ledger.at(-1);
    const position = timeline.atSeq(last?.seq ?? 0);
    const moment = sampleMoment(detail, { turn: 812, seq: position.seq, byte: null });
    const why = whyAt(moment, position.atMs);
    expect(why.tone).toBe("waiting");
    expect(why.lines.at(-1)?.text).toMatch(/edit_interval.*640 ms/);
    expect(whyAt(moment, position.atMs + 600).lines.at(-1)?.text).toMatch(/another 40 ms/);
  });

  it("marks a failure", () => {
    const error = detail.decisions.find((d) => d.error);
    const position = timeline.atSeq(error?.seq ?? 0);
    const moment = sampleMoment(detail, { turn: 812, seq: position.seq, byte: null });
    expect(whyAt({ ...moment, waiting: null }, position.atMs).lines[0]?.term).toBe("Error");
  });

  it("tells the whole reason of an operation that went wrong, and since when in the console's times", () => {
    const [entry] = detail.ledger;
    const last = detail.decisions.at(-1);
    if (entry === undefined || last === undefined) throw new Error("no operation");
    const why = `acknowledged, but it did not arrive: ${"nobody is there. ".repeat(20)}Ask them to write first.`;
    const moment = sampleMoment(detail, { turn: 812, seq: detail.head, byte: null });
    const lost = { ...entry, op: 6, outcome_seq: 9000, outcome: { code: "failed", message: null, detail: why, refusal: "rejected", attempts: 1 } } as const;
    const at = new Date(2026, 10, 22, 5, 30, 5, 8).toISOString();
    const told: Decision = { ...last, seq: 9000, kind: "delivery", error: true, text: `#6 did not arrive: ${"nobody is there. ".repeat(10)}…; known since ${at}` };
    if (moment.decision === null) throw new Error("no decision");
    const decision = { ...moment.decision, decision: told };
    expect(whyAt({ ...moment, decision, waiting: null, ledger: [lost] }, moment.at_ms).lines.slice(0, 2)).toEqual([
      { term: "Error", text: `operation 6, failed: ${why}` }, { term: "Known since", text: "2026-11-22 05:30:05.008" },
    ]);
    // What is no operation's end is told as the event tells it.
    expect(whyAt({ ...moment, decision: { ...decision, decision: { ...told, text: "the agent broke off" } }, waiting: null, ledger: [] }, moment.at_ms).lines[0]?.text).toBe("the agent broke off");
  });
});
