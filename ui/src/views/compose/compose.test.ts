import { readFileSync } from "node:fs";
import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import demo from "../../../recordings/demo";
import type { Compose, Composed, Directive, Lint, Range, Ruler } from "../../generated/wire";
import type { Args, CommandName, Result } from "../../host/host";
import { RecordedHost, type Recording } from "../../host/recorded";
import { byId, calls, click, layOut, press, settle, SlowHost, stage } from "../../test/stage";
import { Bench } from "./bench.svelte";
import ComposeView from "./ComposeView.svelte";
import { all, editor, open, write } from "./test/stage";

beforeEach(layOut);
afterEach(cleanup);

const BROKEN = '<actions>\n  <recat emoji="tada" />\n</actions>\nGrüße 👍';

describe("an output", () => {
  it("is read, linted and previewed on every channel as one types", async () => {
    await open();
    write("compose-output", BROKEN);
    await settle();
    expect(byId("clean-text").textContent).toBe("Grüße 👍");
    expect(all("lint").map((l) => l.dataset["code"])).toEqual(["unknown-directive"]);
    expect(byId("lints").textContent).toContain("2:3");
    expect(all("preview").map((p) => p.dataset["channel"])).toEqual(["telegram", "discord", "slack", "whatsapp", "signal"]);
    for (const preview of all("preview")) expect(preview.textContent).toContain("Grüße 👍");
    const editing = byId("compose-output");
    expect([...editing.querySelectorAll(".cm-stripped")].map((e) => e.textContent).join("\n")).toContain("<actions>");
    expect(editing.querySelector(".cm-error")?.textContent).toBe('<recat emoji="tada" />');
  });

  it("is asked about once a frame, and the latest text wins", async () => {
    const { host } = await open();
    const before = calls(host, "compose").length;
    for (const text of ["a", "ab", "abc"]) write("compose-output", text);
    await settle();
    expect(calls(host, "compose").slice(before)).toEqual([{ user_text: "How was my talk?", agent_output: "abc", channels: [], dry_run: ["telegram"] }]);
    expect(byId("clean-text").textContent).toBe("abc");
  });

  it("is drawn into the editor in one transaction an answer", async () => {
    await open();
    let transactions = 0;
    const view = editor("compose-output");
    const dispatch = view.dispatch.bind(view);
    view.dispatch = ((...specs: Parameters<typeof dispatch>) => {
      transactions += 1;
      return dispatch(...specs);
    }) as typeof view.dispatch;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: BROKEN } });
    await settle();
    // One for the edit, one for all that was decided about it.
    expect(transactions).toBe(2);
  });

  it("is mended by one key", async () => {
    await open();
    write("compose-output", BROKEN);
    await settle();
    await press(byId("compose-output").querySelector(".cm-content") as Element, "Enter", { altKey: true });
    expect(editor("compose-output").state.doc.toString()).toContain('<react emoji="tada" />');
    expect(all("lint")).toHaveLength(0);
    expect(all("parsed-directive").map((d) => d.textContent)).toEqual([expect.stringContaining("react")]);
  });

  it("is mended as a whole by one key, in one transaction", async () => {
    const { console } = await open();
    write("compose-output", '<actions>\n  <recat emoji="tada" />\n</actions>\nHi <send-file path="a.png" />');
    await settle();
    expect(byId("fix-all").textContent).toContain("Fix all 2");
    const view = editor("compose-output");
    await press(byId("compose-output").querySelector(".cm-content") as Element, "Enter", { altKey: true, shiftKey: true });
    expect(view.state.doc.toString()).toBe('<actions>\n  <react emoji="tada" />\n</actions>\nHi <actions><send-file path="a.png" /></actions>');
    expect(console.announcement).toContain("2 fixes applied");
  });

  it("is explained where it stands, by key: next, previous, all around", async () => {
    await open();
    write("compose-output", '<actions>\n  <recat emoji="tada" />\n</actions>\nHi <send-file path="a.png" />');
    await settle();
    const content = byId("compose-output").querySelector(".cm-content") as Element;
    editor("compose-output").dispatch({ selection: { anchor: 0 } });
    const told: (string | undefined)[] = [];
    for (const shiftKey of [false, false, false, true]) {
      await press(content, "F8", { shiftKey });
      told.push(all("explanation").at(-1)?.querySelector("code")?.textContent ?? undefined);
    }
    expect(told).toEqual(["unknown-directive", "bare-directive", "unknown-directive", "bare-directive"]);
    expect(byId("explanation").textContent).toContain("Wrap it in <actions>");
    await press(content, "Escape");
    expect(all("explanation")).toHaveLength(0);
  });

  it("is mended from the list of findings", async () => {
    await open();
    write("compose-output", BROKEN);
    await settle();
    const lint = byId("lints").querySelector<HTMLElement>("[role='listitem']");
    lint?.focus();
    await click(lint as Element);
    await press(lint as Element, "f");
    expect(editor("compose-output").state.doc.toString()).toContain("<react ");
  });

  it("survives a look elsewhere and is emptied by reset", async () => {
    await open();
    write("compose-output", "kept");
    await settle();
    cleanup();
    await open();
    expect(editor("compose-output").state.doc.toString()).toBe("kept");
    await click(byId("compose-reset"));
    expect(editor("compose-output").state.doc.toString()).toBe("");
    expect(editor("compose-user").state.doc.toString()).toBe("");
  });
});

/** A hundred bytes with a directive outside of a block. */
const PART = `<react emoji="fire"/>${"word ".repeat(15)}abc\n`;

/** What a backend would say of that many parts: everything of everything. */
function answerOf(parts: number): Composed {
  const tag = PART.indexOf(">") + 1;
  const each = <T>(make: (at: number, index: number) => T): T[] => Array.from({ length: parts }, (_, index) => make(index * PART.length, index));
  const ranges = each((at): Range[] => [
    { span: [at, at + tag], fate: "strip", reason: "bare_directive" },
    { span: [at + tag, at + PART.length], fate: "show", reason: null },
  ]).flat();
  const lints = each((at, index): Lint => ({
    diagnostic: { code: "bare-directive", severity: "warning", span: [at, at + tag], message: "`<react>` stands outside", fix: { span: [at, at + tag], text: "", title: "Wrap it" } },
    line: index + 1, column: 1, end_line: index + 1, end_column: tag, explanation: "e",
  }));
  const channels = ["telegram", "discord", "slack", "whatsapp", "signal"] as const;
  const message = { span: null, written: 4000, shown: 4000, markup: 0, escapes: 0, opened: 0, closed: 0, counts: 4000, cut: "word", ends: "abc" } as unknown as Ruler["messages"][number];
  const messages = Math.ceil((parts * PART.length) / 4000);
  return {
    parsed: {
      clean_text: PART.slice(tag).repeat(parts), suppressed: null, header: {}, actions: [], diagnostics: lints.map((l) => l.diagnostic), ranges,
      directives: each((at): Directive => ({ type: "react", emoji: "fire", message: null, span: [at, at + tag] })),
    },
    lints, masked: [], redacts: true,
    previews: channels.map((channel) => ({
      channel, platform: channel, rules: "r", typing: false, notes: each(() => "No such reaction."),
      bubbles: Array.from({ length: messages + 1 }, (_, i) => ({
        message: null, from_bot: i > 0, author: "a", quote: null, part: { part: "text", text: "w".repeat(100) }, edits: 0, deleted: false, length: 4000, limit: 4096,
        reactions: i === 0 ? each(() => ({ emoji: "🔥", sent: "fire" })) : [],
      })),
    })) as Composed["previews"],
    rulers: channels.map((channel) => ({ channel, platform: channel, limit: 4096, unit: "scalars", free_markup: false, messages: Array.from({ length: messages }, () => message) })) as unknown as Ruler[],
  };
}

class LongHost extends RecordedHost {
  override async call<K extends CommandName>(name: K, args: Args<K>): Promise<Result<K>> {
    if (name !== "compose") return super.call(name, args);
    return answerOf(Math.floor((args as Compose).agent_output.length / PART.length)) as Result<K>;
  }
}

describe("thousands of directives", () => {
  const PARTS = 3_000;
  const openLong = async (parts: number) => {
    const window = await stage(ComposeView, undefined, undefined, new LongHost(demo));
    write("compose-output", PART.repeat(parts));
    await settle();
    return window;
  };

  // The editors draw what is on the screen by themselves, and here nothing has a size.
  const elements = (): number => byId("compose-results").querySelectorAll("*").length + byId("previews").querySelectorAll("*").length;

  it("puts no more into the page than a third of it does", async () => {
    await openLong(1_000);
    const less = elements();
    cleanup();
    localStorage.clear();
    await openLong(PARTS);
    expect(byId("compose-results").textContent).toContain("0 errors, 3,000 warnings");
    expect(all("lint")).toHaveLength(100);
    expect(all("parsed-directive")).toHaveLength(100);
    expect(elements()).toBeLessThan(less * 1.3);
    expect(elements()).toBeLessThan(6_000);
  });

  it("has every finding within reach, by button and by key", async () => {
    await openLong(PARTS);
    const lints = byId("lints");
    const places = (): (string | undefined)[] => all("lint").map((l) => l.querySelector(".mono")?.textContent ?? undefined);
    await click(lints.querySelector("[data-testid='list-after']") as HTMLElement);
    expect([places()[0], places().at(-1)]).toEqual(["101:1", "200:1"]);
    expect(lints.textContent).toMatch(/… 100 before.*… and 2,800 more/s);
    await press(document.activeElement as Element, "ArrowDown");
    expect(document.activeElement?.getAttribute("aria-posinset")).toBe("102");
    await press(document.activeElement as Element, "End");
    expect(places().at(-1)).toBe("3000:1");
    expect(lints.querySelector("[data-testid='list-after']")).toBeNull();
    expect(document.activeElement?.getAttribute("aria-posinset")).toBe("3000");
    await press(document.activeElement as Element, "Home");
    expect(places()[0]).toBe("1:1");
  });

  it("is no draft for the next start, says so, and outlasts a look elsewhere", async () => {
    const { console } = await openLong(PARTS);
    expect(byId("compose-output-pane").textContent).toContain("too long to keep");
    expect(localStorage.getItem("foldback.compose.draft")).toBeNull();
    const again = new Bench(console);
    expect(again.output).toHaveLength(PARTS * PART.length);
    again.close();
    cleanup();
    await open();
    expect(editor("compose-output").state.doc.toString()).toContain("Great idea");
  });

  it("is not taken from a start that still kept it", async () => {
    localStorage.setItem("foldback.compose.draft", JSON.stringify({ user: "", output: "x".repeat(300_000) }));
    await open();
    expect(editor("compose-output").state.doc.length).toBeLessThan(1000);
  });
});

describe("an answer that takes its time", () => {
  it("leaves the one before there, dimmed, until it comes", async () => {
    const host = new SlowHost({ ...demo, calls: [{ name: "compose", result: answerOf(1) }, ...demo.calls] }, "compose");
    await stage(ComposeView, undefined, undefined, host);
    await host.answer();
    expect(byId("compose-results").getAttribute("aria-busy")).toBe("false");
    write("compose-output", "another");
    await vi.waitFor(() => expect(byId("compose-results").getAttribute("aria-busy")).toBe("true"), { timeout: 20_000 });
    expect(byId("compose-results").textContent).toContain("reading…");
    expect(byId("previews").textContent).toContain("reading…");
    expect(all("lint")).toHaveLength(1);
    // The first text was asked for before the recorded one was there to be read.
    for (let i = 0; i < 3; i += 1) await host.answer();
    await vi.waitFor(() => expect(byId("compose-results").getAttribute("aria-busy")).toBe("false"), { timeout: 20_000 });
    expect(byId("compose-results").textContent).not.toContain("reading…");
  });
});

describe("the keyboard", () => {
  it("goes on from an editor with Tab and leaves the text as it is", async () => {
    await open();
    for (const id of ["compose-user", "compose-output"]) {
      const before = editor(id).state.doc.toString();
      const event = new KeyboardEvent("keydown", { key: "Tab", bubbles: true, cancelable: true });
      byId(id).querySelector(".cm-content")?.dispatchEvent(event);
      expect(event.defaultPrevented).toBe(false);
      expect(editor(id).state.doc.toString()).toBe(before);
    }
  });
});


describe("a secret in an output", () => {
  /** What the real backend said of one in the text and one in a directive. */
  const real = JSON.parse(readFileSync("src/host/recorded/demo.json", "utf8")) as Recording;
  const recorded = real.calls.find((c) => c.name === "compose" && (c.args as unknown as Compose).agent_output.includes("sk-"));
  const secret = (recorded?.args as unknown as Compose).agent_output;
  const answer = recorded?.result as Composed;
  const show = async (change: Partial<Composed> = {}) => {
    const host = new RecordedHost({ ...real, calls: [{ name: "compose", result: { ...answer, ...change } }, ...real.calls] });
    const window = await stage(ComposeView, undefined, undefined, host);
    write("compose-output", secret);
    await settle();
    return window;
  };

  it("is marked where it stands, named, and masked in what is sent", async () => {
    await show();
    const marked = [...byId("compose-output").querySelectorAll<HTMLElement>(".cm-masked")];
    expect(marked.map((m) => m.textContent)).toEqual(["sk-abcdefghijklmnopqrstuvwx", "hunter2"]);
    expect(marked[0]?.title).toContain("API keys of OpenAI");
    expect(marked[1]?.title).toContain("said by voice as [redacted]");
    expect(all("masked-secret").map((s) => s.dataset["secret"])).toEqual(["sk", "named"]);
    expect(byId("clean-text").textContent).toBe("The key is [redacted].");
    expect(byId("clean-text").querySelector("mark")?.textContent).toBe("[redacted]");
    expect(byId("parsed").textContent).toContain("[redacted]");
    expect(byId("compose-results").textContent).not.toContain("hunter2");
    expect(byId("compose-secrets").textContent).toContain("2 masked");
  });

  it("is said to be sent as it is where redaction is off", async () => {
    const { console } = await show({ masked: [], redacts: false });
    expect(byId("compose-secrets").textContent).toMatch(/redaction is off.*sent and kept as it is/s);
    await click(byId("compose-patterns"));
    expect(console.view).toBe("settings");
  });

  it("is nothing to speak of where there is none", async () => {
    await show({ masked: [] });
    expect(all("compose-secrets")).toHaveLength(0);
  });
});
