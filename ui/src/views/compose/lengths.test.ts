import { cleanup } from "@testing-library/svelte";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EditorView } from "@codemirror/view";
import type { Compose, Composed, Range, Ruler } from "../../generated/wire";
import { RecordedHost, type Recording } from "../../host/recorded";
import { byId, click, layOut, settle, stage } from "../../test/stage";
import ComposeView from "./ComposeView.svelte";
import { writtenAt } from "./model/split";
import Lengths from "../turn/Lengths.svelte";

beforeEach(layOut);
afterEach(cleanup);

const real = JSON.parse(readFileSync("src/host/recorded/demo.json", "utf8")) as Recording;
const split = JSON.parse(readFileSync("../fixtures/previews/split.json", "utf8")) as Pick<Composed, "previews" | "rulers">;
const text = readFileSync("../fixtures/previews/split.md", "utf8");
const all = (id: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(`[data-testid="${id}"]`)];

const show = async () => {
  const recorded = real.calls.find((c) => c.name === "compose" && (c.args as unknown as Compose).agent_output === "");
  const ranges: Range[] = [{ span: [0, text.length], fate: "show", reason: null }];
  const empty = recorded?.result as Composed;
  const result: Composed = { ...empty, ...split, parsed: { ...empty.parsed, clean_text: text, suppressed: null, ranges } };
  const host = new RecordedHost({ ...real, calls: [{ name: "compose", result }, ...real.calls] });
  const window = await stage(ComposeView, undefined, undefined, host);
  const view = EditorView.findFromDOM(byId("compose-output").querySelector(".cm-editor") as HTMLElement);
  if (view === null) throw new Error("no editor");
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  await settle();
  return { ...window, view };
};

describe("the split ruler in Compose", () => {
  it("has a row for every channel, and marks the one that refuses", async () => {
    await show();
    expect(all("ruler").map((row) => [row.dataset["channel"], row.dataset["full"]])).toEqual(
      split.rulers.map((r) => [r.channel, r.messages.some((m) => m.counts > r.limit) ? "danger" : "ok"]),
    );
  });

  it("tells of the chosen channel where it is cut and what makes it longer", async () => {
    await show();
    await click(all("ruler").find((row) => row.dataset["channel"] === "discord") as HTMLElement);
    expect(byId("compose-lengths").textContent).toMatch(/3 messages on discord, at most 2,000 characters each/);
    expect(all("ruler-cut").map((cut) => cut.textContent.trim())).toEqual([expect.stringMatching(/^cut between paragraphs/), expect.stringMatching(/^cut between lines, what was open goes on/)]);
    expect(byId("ruler-growth").textContent).toMatch(/characters.*fences closed and opened again.*\+\d+.*billed/s);
  });

  it("selects in the editor what a message was made from", async () => {
    const { view } = await show();
    await click(all("ruler").find((row) => row.dataset["channel"] === "discord") as HTMLElement);
    await click(all("ruler-message")[1]?.querySelector("button") as Element);
    const { from, to } = view.state.selection.main;
    const [start, end] = (split.rulers.find((r) => r.channel === "discord") as Ruler).messages[1]?.span as [number, number];
    expect([from, to]).toEqual([start, end]);
    expect(view.state.sliceDoc(from, from + 7)).toBe("```rust");
  });

  it("shows the markup that is sent, in place of what becomes of it", async () => {
    await show();
    const telegram = document.querySelector<HTMLElement>("[data-testid='preview'][data-channel='telegram']");
    expect(telegram?.textContent).not.toContain("<b>every</b>");
    await click(byId("look-sent"));
    expect(telegram?.textContent).toContain("<b>every</b>");
  });
});

describe("a stretch of the clean text", () => {
  const ranges: Range[] = [
    { span: [0, 10], fate: "strip", reason: "actions_block" },
    { span: [10, 15], fate: "show", reason: null },
    { span: [15, 40], fate: "show", reason: "redacted", as: "[redacted]" },
    { span: [40, 50], fate: "strip", reason: "actions_block" },
    { span: [50, 60], fate: "show", reason: null },
  ];
  it("is found in the output, whatever was taken out or masked before it", () => {
    expect(writtenAt({ ranges }, [0, 5])).toEqual([10, 15]);
    expect(writtenAt({ ranges }, [2, 15])).toEqual([12, 40]);
    expect(writtenAt({ ranges }, [16, 25])).toEqual([51, 60]);
    expect(writtenAt({ ranges }, [3, 20])).toEqual([13, 55]);
    expect(writtenAt({ ranges }, [20, 99])).toBeNull();
  });
});

describe("a turn", () => {
  it("is measured as it stands in the chat", async () => {
    const slack = split.rulers.find((r) => r.channel === "slack") as Ruler;
    const ruler = { ...slack, messages: slack.messages.slice(0, 1).map((m) => ({ ...m, counts: 4012, cut: null })) };
    await stage(Lengths as never, { desk: { moment: { lengths: ruler }, shownMs: 0 } } as never);
    expect(byId("turn-lengths").textContent).toMatch(/1 message.*12 too long: slack refuses it/s);
  });
});
