import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BenchResult, Benched, Parsed, RecutFailure, RecutProgress, RecutStarted, Specimen } from "../../generated/wire";
import type { Args, CommandName, Result } from "../../host/host";
import { byId, calls, click, layOut, press, settle, stage, type } from "../../test/stage";
import ComposeView from "../compose/ComposeView.svelte";
import { SampleHost } from "../turn/test/host";
import TurnView from "../turn/TurnView.svelte";
import { pairsOf } from "./columns.svelte";

beforeEach(layOut);
afterEach(cleanup);

const RAW = 'Sure <react emoji="fire" /> thing';
const parsed = (more: Partial<Parsed> = {}): Parsed => ({
  clean_text: "Sure thing", suppressed: null, header: {}, actions: [], diagnostics: [],
  directives: [{ type: "react", emoji: "fire", message: null, span: [5, 27] }],
  ranges: [{ span: [0, 5], fate: "show", reason: null }, { span: [5, 28], fate: "strip", reason: "bare_directive" }, { span: [28, 33], fate: "show", reason: null }],
  ...more,
});
const result = (name: string, more: Partial<BenchResult> = {}): BenchResult => ({
  column: { name, base: { from: "configured" }, set: name === "default" ? [] : [`output.${name.replace(" ", "=")}`] }, parsed: parsed(), masked: [], error: null, differs: [], ...more,
});
const FAILURE: RecutFailure = {
  family: "single", cut: [9], differs: ["leak", "released", "clean_text"], whole: parsed(), parsed: parsed({ clean_text: "Sure <rea thing" }),
  released: ["Sure <rea", " thing", ""], leaked: [[5, 9]],
};

/** Answers trials as a backend would; pushes are made by the test. */
class TrialHost extends SampleHost {
  columns: BenchResult[] = [
    result("default"),
    result("bare text", { differs: ["clean_text", "directives"], parsed: parsed({ clean_text: RAW, directives: [] }) }),
    result("placement start"),
  ];

  override async call<K extends CommandName>(name: K, args: Args<K>): Promise<Result<K>> {
    const own = this.#answer(name, args as never);
    if (own === undefined) return super.call(name, args);
    this.calls.push({ name, args });
    await new Promise((resolve) => setTimeout(resolve));
    return own as Result<K>;
  }

  #answer(name: CommandName, args: never): unknown {
    switch (name) {
      case "recut":
        return { run: 7, raw: RAW, cuts: 4096, families: [{ family: "single", cuts: 32, of: 32 }, { family: "random", cuts: 4064, of: null }] } satisfies RecutStarted;
      case "recut_cancel":
        return {};
      case "recut_fixture":
        return { path: "cuts/cut.yaml", text: "name: Cut\n" };
      case "dialect_bench": {
        const { columns } = args as Args<"dialect_bench">;
        const results = columns?.map((column) => this.columns.find((r) => r.column.name === column.name) ?? { ...result(""), column, parsed: null, error: "no such setting" });
        return { raw: RAW, results: results ?? this.columns, keys: ["output.placement", "output.bare"] } satisfies Benched;
      }
      default:
        return undefined;
    }
  }

  progress(more: Partial<RecutProgress>): Promise<void> {
    this.push({ push: "recut", progress: { run: 7, done: 0, result: null, ...more } });
    return settle();
  }
}

const all = (id: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(`[data-testid="${id}"]`)];
const text = (id: string): string => byId(id).textContent?.replaceAll(/\s+/g, " ").trim() ?? "";

async function compose() {
  const host = new TrialHost();
  return { ...(await stage(ComposeView, undefined, undefined, host)), host };
}

describe("cutting an output differently", () => {
  const open = async () => {
    const window = await compose();
    await click(byId("compose-recut"));
    return window;
  };

  it("begins at once, with what is written, and tells how far it is", async () => {
    const { host } = await open();
    const [asked] = calls(host, "recut") as { specimen: Specimen }[];
    expect(asked?.specimen).toMatchObject({ of: "text", user_text: "How was my talk?", channel: null });
    await host.progress({ done: 1234 });
    expect(text("recut-going")).toContain("1,234 of 4,096 cuts");
    expect(text("recut-families")).toContain("in two, at one place");
  });

  it("is calm when nothing changes", async () => {
    const { host } = await open();
    await host.progress({ done: 4096, result: { cuts: 4096, cancelled: false, failure: null } });
    expect(text("recut-verdict")).toContain("4,096 cuts, same result");
    expect(all("recut-fixture")).toHaveLength(0);
  });

  it("takes no notice of another run", async () => {
    const { host } = await open();
    await host.progress({ run: 6, done: 9, result: { cuts: 9, cancelled: false, failure: FAILURE } });
    expect(all("recut-verdict")).toHaveLength(0);
  });

  it("shows the smallest failing cut as chunks, with the two outcomes side by side", async () => {
    const { host } = await open();
    await host.progress({ done: 5, result: { cuts: 5, cancelled: false, failure: FAILURE } });
    expect(text("recut-verdict")).toContain("A cut into 2 chunks changes the result");
    expect(all("cut-chunk").map((c) => c.textContent)).toEqual(["1Sure <rea", '2ct emoji="fire" /> thing']);
    expect(text("cut-streamed")).toContain("leak bytes 5–9 <rea were shown");
    const clean = all("outcome-cell").filter((c) => c.dataset["aspect"] === "clean_text");
    expect(clean.map((c) => [c.textContent?.replace("≠", "").trim(), c.dataset["differs"]])).toEqual([["Sure thing", "false"], ["Sure <rea thing", "true"]]);
    expect(clean[1]?.textContent, "not by colour alone").toContain("≠");
  });

  it("makes a fixture of the failing cut", async () => {
    const { host } = await open();
    await host.progress({ done: 5, result: { cuts: 5, cancelled: false, failure: FAILURE } });
    await click(byId("recut-fixture"));
    expect(calls(host, "recut_fixture")).toMatchObject([{ specimen: { of: "text" }, cut: [9] }]);
    expect((byId("make-fixture-path") as HTMLInputElement).value).toBe("cuts/cut.yaml");
  });

  it("stops when it is told to, and when nobody looks any more", async () => {
    const { host } = await open();
    await click(byId("recut-stop"));
    expect(calls(host, "recut_cancel")).toEqual([{ run: 7 }]);
    await host.progress({ done: 812, result: { cuts: 812, cancelled: true, failure: null } });
    expect(text("recut-verdict")).toContain("Stopped after 812 cuts; none changed anything");
    await click(byId("recut-again"));
    await click(byId("recut-close"));
    expect(calls(host, "recut_cancel")).toHaveLength(2);
  });

  it("works on each message of a turn", async () => {
    const host = new TrialHost();
    const { console } = await stage(TurnView, undefined, undefined, host);
    console.openTurn(813);
    await settle();
    await click(byId("turn-recut"));
    expect(calls(host, "recut")).toEqual([{ specimen: { of: "message", turn: 813, message: 1 } }]);
    await click(byId("recut-choice-0"));
    expect(calls(host, "recut").at(-1)).toEqual({ specimen: { of: "message", turn: 813, message: 0 } });
  });

  it("has a key", async () => {
    const { host } = await compose();
    await press(byId("compose-output").querySelector(".cm-content") as Element, "X", { ctrlKey: true, shiftKey: true });
    expect(calls(host, "recut")).toHaveLength(1);
  });
});

describe("comparing dialects", () => {
  const open = async () => {
    const window = await compose();
    await click(byId("compose-dialects"));
    return window;
  };
  const names = (): (string | undefined)[] => all("bench-column").map((c) => c.dataset["name"]);

  it("shows what differs beside the first column, and what does not in a line", async () => {
    await open();
    expect(names()).toEqual(["default", "bare text"]);
    expect(text("bench-same")).toContain("placement start");
    const cells = [...byId("bench-table").querySelectorAll<HTMLElement>('td[data-column="bare text"] [data-testid="outcome-cell"]')];
    expect(cells.filter((c) => c.dataset["differs"] === "true").map((c) => c.dataset["aspect"])).toEqual(["clean_text", "directives"]);
    expect(cells[0]?.textContent).toContain("≠");
    expect(cells[0]?.textContent).toContain(RAW);
  });

  it("takes any setting as a column, says what is wrong with it there, and lets it go", async () => {
    const { host } = await open();
    await type(byId("bench-setting"), "output.placment=start output.bare=text");
    byId("bench-setting").closest("form")?.requestSubmit();
    await settle();
    const asked = calls(host, "dialect_bench").at(-1) as Args<"dialect_bench">;
    expect(asked.columns?.at(-1)).toEqual({ name: "placment start, bare text", base: { from: "configured" }, set: ["output.placment=start", "output.bare=text"] });
    expect(text("bench-error")).toBe("no such setting");
    const wrong = all("bench-column").find((c) => c.dataset["name"] === "placment start, bare text");
    await click(wrong?.querySelector('[data-testid="bench-remove"]') as Element);
    expect(names()).toEqual(["default", "bare text"]);
  });

  it("names the secrets that each column masks, and says so where the columns differ", async () => {
    const host = new TrialHost();
    const masked = [{ span: [5, 12] as [number, number], line: 1, column: 6, secrets: ["sk"], about: "API keys", inside: null }];
    host.columns = [result("default", { masked }), result("redaction off", { differs: ["clean_text", "masked"] })];
    await stage(ComposeView, undefined, undefined, host);
    await click(byId("compose-dialects"));
    const cells = all("outcome-cell").filter((c) => c.dataset["aspect"] === "masked");
    expect(cells.map((c) => [c.textContent?.replace("≠", "").trim(), c.dataset["differs"]])).toEqual([["sk · bytes 5–12", "false"], ["nothing", "true"]]);
  });

  it("has no line for secrets where there are none", async () => {
    await open();
    expect(all("outcome-cell").some((c) => c.dataset["aspect"] === "masked")).toBe(false);
  });

  it("compares with another column", async () => {
    const { host } = await open();
    await click([...byId("bench-table").querySelectorAll("button")].find((b) => b.textContent === "compare with this") as Element);
    const asked = calls(host, "dialect_bench").at(-1) as Args<"dialect_bench">;
    expect(asked.columns?.map((c) => c.name)).toEqual(["bare text", "default", "placement start"]);
  });

  it("reads several settings from one line", () => {
    expect(pairsOf(" output.bare=text  output.all_clear=all is well bare=strip ")).toEqual(["output.bare=text", "output.all_clear=all is well", "bare=strip"]);
    expect(pairsOf("  ")).toEqual([]);
  });
});
