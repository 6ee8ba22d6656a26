import { describe, expect, it } from "vitest";
import { RAW, sampleTurn } from "../test/sample";
import { cleanToRaw, marksOf } from "./links";

const detail = sampleTurn();
const react = detail.ledger.find((e) => e.intent.kind === "react");
const edit = detail.ledger.find((e) => e.intent.kind === "edit_text");

describe("what hangs together", () => {
  it("a directive marks its bytes, its operation and their events", () => {
    const marks = marksOf(detail, { seq: detail.directives[0]?.seq });
    expect(marks.spans.map(({ span }) => RAW.slice(...span))).toEqual(['<react emoji="thumbsup" />']);
    expect([...marks.ops]).toEqual([300]);
    expect(marks.seqs).toEqual(new Set([detail.directives[0]?.seq, react?.seq, react?.outcome_seq]));
  });

  it("from its operation, its bytes or its event one gets to the same directive", () => {
    for (const place of [{ seq: react?.seq }, { seq: react?.outcome_seq ?? 0 }, { message: 0, span: [35, 36] as [number, number] }]) {
      const marks = marksOf(detail, place);
      expect([...marks.directives]).toEqual(["0:0"]);
      expect([...marks.ops]).toEqual([300]);
    }
  });

  it("an edit marks the raw bytes its text came from, and no stripped ones", () => {
    const marks = marksOf(detail, { seq: edit?.seq });
    expect(marks.spans.map(({ span }) => RAW.slice(...span)).join("|")).toBe("Here is the chart, with last week marked.| Anything else?");
  });

  it("text marks every operation that showed it", () => {
    const at = RAW.indexOf("week");
    expect([...marksOf(detail, { message: 0, span: [at, at + 4] }).ops]).toEqual([303]);
    const here = RAW.indexOf("Here");
    expect([...marksOf(detail, { message: 0, span: [here, here + 4] }).ops]).toEqual([301, 303]);
  });

  it("an unknown event marks itself", () => {
    const marks = marksOf(detail, { seq: 1 });
    expect([...marks.seqs]).toEqual([1]);
    expect(marks.spans).toEqual([]);
  });

  it("a place in another turn marks nothing here", () => {
    expect(marksOf(detail, { turn: 1, seq: react?.seq }).ops.size).toBe(0);
    expect(marksOf(detail, null).seqs.size).toBe(0);
  });
});

describe("clean bytes in the raw text", () => {
  it("skip what was stripped and take joined white space whole", () => {
    const ranges = [
      { span: [0, 4], fate: "show", reason: null },
      { span: [4, 20], fate: "strip", reason: "actions_block" },
      { span: [20, 23], fate: "show", reason: "joined_space", as: "\n" },
      { span: [23, 30], fate: "show", reason: null },
    ] as Parameters<typeof cleanToRaw>[0];
    expect(cleanToRaw(ranges, [2, 7])).toEqual([
      [2, 4],
      [20, 25],
    ]);
    expect(cleanToRaw(ranges, [0, 0])).toEqual([]);
  });
});
