import { describe, expect, it } from "vitest";
import { sampleMoment, sampleTurn } from "../test/sample";
import { actionsAt, cardsAt, findingsAt, linesAt } from "./cards";
import { Timeline } from "./timeline";

const detail = sampleTurn();
const timeline = new Timeline(detail);
const at = (chunk: number) => {
  const { seq } = timeline.atSeq(detail.messages[0]?.chunks[chunk]?.seq ?? 0);
  return sampleMoment(detail, { turn: 812, seq, byte: null });
};

describe("actions at a moment", () => {
  it("are what was read as directives are, and is no directive and no header", () => {
    expect(actionsAt(detail, detail.head)).toBe(0);
    const read = (seq: number, span: [number, number] | null) => ({ seq, at_ms: 5, kind: "directive" as const, message: 1, span, text: "asks for bash", error: false });
    const asking = { ...detail, decisions: [...detail.decisions, read(9_001, [0, 9]), read(9_002, [9, 20]), read(9_003, null)] };
    expect([9_000, 9_001, 9_003].map((seq) => actionsAt(asking, seq))).toEqual([0, 1, 2]);
  });
});

describe("directives at a moment", () => {
  it("stand in the order they were written, the header first", () => {
    expect(cardsAt(detail, null).map((c) => [c.name, c.subject, c.stage])).toEqual([
      ["reply_to", "4471", "done"],
      ["react", "thumbsup", "done"],
      ["send-file", "out/chart.png", "done"],
    ]);
  });

  it("are ahead, being read, under way and done as time goes on", () => {
    const stages = [0, 3, 5, 6].map((chunk) => cardsAt(detail, at(chunk)).map((c) => c.stage));
    expect(stages).toEqual([
      ["open", "ahead", "ahead"],
      ["open", "open", "ahead"],
      ["done", "done", "parsing"],
      ["done", "done", "open"],
    ]);
  });

  it("say what was sent, and why not", () => {
    const [, react, file] = cardsAt(detail, null);
    expect(react?.about).toBe("thumbsup → 👍 on the triggering message · bytes 30–56");
    expect(file?.about).toBe("no such file below the send folder");
  });
});

describe("findings at a moment", () => {
  it("are later until all the text that they are about has come", () => {
    const found = detail.messages[0]?.diagnostics[0]?.span[1] ?? 0;
    const chunks = detail.messages[0]?.chunks ?? [];
    const ahead = chunks.map((_, chunk) => findingsAt(detail, at(chunk))[0]?.ahead);
    expect(ahead).toEqual(chunks.map(({ span }) => span[1] < found));
    expect(new Set(ahead)).toEqual(new Set([true, false]));
    expect(findingsAt(detail, null).map((f) => f.ahead)).toEqual([false]);
  });
});

describe("the ledger at a moment", () => {
  it("has what is unmatched on top and what is ahead at the end", () => {
    const chunk = at(4);
    expect(linesAt(detail, chunk).map((l) => [l.entry.intent.kind, l.stage])).toEqual([
      ["react", "open"],
      ["send_text", "ahead"],
      ["send_file", "ahead"],
      ["edit_text", "ahead"],
    ]);
    const end = linesAt(detail, sampleMoment(detail, { turn: 812, seq: detail.ledger.at(-1)?.seq ?? 0, byte: null }));
    expect(end.map((l) => [l.entry.intent.kind, l.stage])).toEqual([
      ["edit_text", "open"],
      ["react", "done"],
      ["send_text", "done"],
      ["send_file", "done"],
    ]);
    expect(end[0]?.notes).toEqual(["edit_interval: edited 1,500 ms ago at the earliest"]);
  });

  it("tells which planned faults hit an operation, once they have", () => {
    const text = detail.ledger.find((e) => e.intent.kind === "send_text");
    if (text === undefined) throw new Error("no text");
    const hit = { ...detail, faults: [{ seq: text.seq + 1, at_ms: text.at_ms, number: 7, op: text.op, about: "send_text 1: gone" }] };
    const notes = (seq: number) => linesAt(hit, sampleMoment(hit, { turn: 812, seq, byte: null })).find((l) => l.entry.op === text.op)?.notes;
    expect(notes(text.seq)).not.toContain("planned fault 7: send_text 1: gone");
    expect(notes(text.seq + 1)).toContain("planned fault 7: send_text 1: gone");
    const again = [1, 2, 3, 4].map((n) => ({ ...hit.faults[0], seq: text.seq + n }));
    const told = linesAt({ ...detail, faults: again as typeof hit.faults }, null).flatMap((line) => line.notes).filter((note) => note.startsWith("planned"));
    expect(told).toEqual(["planned fault 7, 4 times: send_text 1: gone"]);
  });

  it("says what the user saw and for how long", () => {
    const [, text, file, edit] = linesAt(detail, null);
    expect(text?.notes).toEqual(["seen for 1.5 s"]);
    expect([text?.quote, text?.subject]).toEqual(["Here is the chart, with last", "in reply to 4471 → 9001"]);
    expect(file?.notes).toEqual(["no such file below the send folder"]);
    expect([edit?.quote, edit?.subject]).toEqual([edit?.entry.text, "in 9001"]);
  });

  it("leaves it to the page to cut what was said off, and never ends it in two ellipses", () => {
    const said = (text: string): string | undefined => linesAt({ ...detail, ledger: detail.ledger.map((entry) => ({ ...entry, text })) }, null).find(({ quote }) => quote !== "")?.quote;
    const long = "Here is the chart, with the numbers of last week and of the week before it.";
    expect(said(`${long}\n ${long}`)).toBe(`${long} ${long}`);
    expect(said("Let me look…")).toBe("Let me look…");
    expect(said(`${"x".repeat(398)}… and more`)).toBe(`${"x".repeat(398)}…`);
    expect(said("x".repeat(500))).toHaveLength(400);
  });
});
