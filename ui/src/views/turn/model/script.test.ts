import { describe, expect, it } from "vitest";
import type { TurnDetail } from "../../../generated/wire";
import { sampleTurn } from "../test/sample";
import { Script } from "./script";

/** The sample's message after one of narration and a tool call. */
function narrated(): TurnDetail {
  const detail = sampleTurn();
  const main = detail.messages[0];
  if (main === undefined) throw new Error("no message");
  const agent = (seq: number, text: string) => ({ seq, at_ms: 1, kind: "agent" as const, message: null, span: null, text, error: false });
  const narration = { ...main, message: 0, raw: "Let me look.", chunks: [{ seq: 10, at_ms: 0, span: [0, 12] as [number, number] }], ranges: [], holds: [], narration: true };
  return { ...detail, messages: [narration, { ...main, message: 1 }], decisions: [agent(11, "Tool search is running."), agent(12, "Tool search is completed."), ...detail.decisions] };
}

describe("the listing of a turn", () => {
  it("of one message is its rows", () => {
    const script = new Script(sampleTurn(), 80);
    expect(script.length).toBe(7);
    expect(script.row(0)).toMatchObject({ kind: "text", span: [0, 18], chunk: 0, starts: true });
    expect(script.row(7)).toBeUndefined();
    expect(script.rowOf(0, 18)).toBe(0);
    expect(script.rowOf(0, 19)).toBe(1);
    expect(script.rowOf(0, 0)).toBe(0);
  });

  it("of several has a line before each, with what the agent did between them", () => {
    const script = new Script(narrated(), 80);
    expect(script.length).toBe(2 + 8);
    expect(script.row(0)?.kind).toBe("between");
    const second = script.row(2);
    expect(second?.kind).toBe("between");
    expect(second?.section.between.map((d) => d.text).slice(0, 2)).toEqual(["Tool search is running.", "Tool search is completed."]);
    expect(script.rowOf(1, 5)).toBe(3);
    expect(script.row(3)).toMatchObject({ kind: "text", span: [0, 18] });
  });

  it("takes over what did not change", () => {
    const detail = sampleTurn();
    const before = new Script(detail, 80);
    expect(new Script({ ...detail, head: 1 }, 80, before).sections[0]?.rows).toBe(before.sections[0]?.rows);
    expect(new Script(detail, 40, before).sections[0]?.rows).not.toBe(before.sections[0]?.rows);
    expect(new Script(detail, 40, before).sections[0]?.text).toBe(before.sections[0]?.text);
  });

  it("of a blocked turn is empty", () => {
    const script = new Script({ ...sampleTurn(), messages: [] }, 80);
    expect(script.length).toBe(0);
    expect(script.row(0)).toBeUndefined();
    expect(script.rowOf(0, 3)).toBe(0);
  });
});
