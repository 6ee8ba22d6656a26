import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HostFailure } from "../../host";
import { byId, calls, click, layOut, press, settle, stage } from "../../test/stage";
import { SampleHost } from "./test/host";
import { RAW, sampleTurn } from "./test/sample";
import TurnView from "./TurnView.svelte";

beforeEach(layOut);
afterEach(cleanup);

async function open(turn: number) {
  const host = new SampleHost();
  const window = await stage(TurnView, undefined, undefined, host);
  window.console.select({ turn });
  await settle();
  return { ...window, host };
}

const all = (id: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(`[data-testid="${id}"]`)];
const turnOf = (number: number): HTMLElement => {
  const found = all("turn").find((row) => row.dataset["turn"] === String(number));
  if (found === undefined) throw new Error(`no turn ${number} in the list`);
  return found;
};
/** Presses keys faster than the backend can answer. */
function type(...keys: string[]): void {
  for (const key of keys) byId("raw-text").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}
/** Six chunks into the turn of the mock. */
async function sixChunks() {
  const window = await open(812);
  type("Home", ".", ".", ".", ".", ".", ".");
  await settle();
  return window;
}

it("keeps reasoning and tool calls closed until they are asked for, with their length and status", async () => {
  await open(812);
  const inspector = byId("inspector").textContent;
  expect(inspector).toContain("24 characters");
  expect(byId("reasoning")).toMatchObject({ open: false });
  expect(byId("reasoning").textContent).toContain("They ask about the talk.");
  expect(byId("tool")).toMatchObject({ open: false });
  expect(byId("tool").dataset["status"]).toBe("completed");
  expect(byId("tool").textContent).toMatch(/search.*"query": "talk".*nothing new/s);
});

it("does not say of a call that it runs when the run is over", async () => {
  const host = new SampleHost();
  const detail = sampleTurn();
  const [told] = detail.tools;
  if (told === undefined) throw new Error("no tool in the sample");
  const open = { ...told, took_ms: null, call: { ...told.call, status: "pending" as const, result: null } };
  host.retell({ ...detail, summary: { ...detail.summary, turn: 901 }, tools: [{ ...open, lapsed_ms: 1500 }, { ...open, call: { ...open.call, id: "call-2" } }] });
  const { console } = await stage(TurnView, undefined, undefined, host);
  console.select({ turn: 901 });
  await settle();
  const badges = [...document.querySelectorAll<HTMLElement>("[data-testid='tool'] .badge")];
  expect(badges.map((badge) => badge.textContent?.trim())).toEqual(["end not told", "pending"]);
  expect(badges[0]?.title).toContain("last said to be pending");
});

it("tells a turn that waits, and one that a person stopped, from one that runs, failed or is in doubt", async () => {
  const host = new SampleHost();
  const detail = sampleTurn();
  const failed = { state: "failed", detail: "it was cancelled" } as const;
  for (const [turn, change] of [[901, { terminal: null, queued: true }], [902, { terminal: null }], [903, { terminal: failed, stopped: true }], [904, { terminal: failed }], [905, { terminal: { state: "unknown", detail: "the connection broke" } }]] as const)
    host.retell({ ...detail, summary: { ...detail.summary, turn, ...change } });
  await stage(TurnView, undefined, undefined, host);
  const words = [901, 902, 903, 904, 905].map((turn) => {
    const badge = document.querySelector(`[data-testid="turn"][data-turn="${turn}"] .badge`);
    const spoken = turnOf(turn).getAttribute("aria-label") ?? "";
    return [badge?.textContent?.trim(), spoken.split(". ").at(-1)];
  });
  expect(words).toEqual([["waits", "waits"], ["running", "running"], ["stopped", "stopped"], ["failed", "failed"], ["unknown", "unknown"]]);
});

it("says what went wrong in the turn that is open by itself, and a leak all the same", async () => {
  const { host, console } = await open(812);
  const alarm = { kind: "error" as const, message: "A turn failed: cut.", seq: 9, turn: 812 };
  host.push({ push: "alarm", alarm });
  await settle();
  expect(console.toasts).toEqual([]);
  expect(console.alarmsTotal).toBe(1);
  expect(console.announcement).toContain("A turn failed");
  host.push({ push: "alarm", alarm: { ...alarm, turn: 813 } });
  host.push({ push: "alarm", alarm: { ...alarm, kind: "leak", message: "8 bytes" } });
  await settle();
  expect(console.toasts.map(({ title }) => title)).toEqual(["A turn failed: cut.", "8 bytes"]);
});

it("says that it does not follow a turn where the journal cannot be watched", async () => {
  const host = new SampleHost();
  const call = host.call.bind(host);
  host.call = (name, args) =>
    name === "view_open" ? Promise.reject(new HostFailure({ code: "journal", message: "The journal cannot be read.", hint: null })) : call(name, args);
  const { console } = await stage(TurnView, undefined, undefined, host);
  expect(byId("turns").textContent).toContain("The turns could not be read");
  expect(byId("turns").textContent).toContain("The journal cannot be read.");
  console.select({ turn: 816 });
  await settle();
  const said = all("toast").map((toast) => toast.textContent).join(" ");
  expect(said).toContain("Turn #816 is shown as it is now");
  expect(byId("chat-pane").textContent).toContain("#816");
});

describe("stepping through a turn", () => {
  it("by chunk shows what had come, what is held and why, and what the user saw", async () => {
    await sixChunks();
    expect(byId("cursor-label").textContent).toBe("chunk 6 · byte 133");
    expect(all("cell").map((c) => c.dataset["fate"])).toEqual(["strip", "strip", "show", "held", "ahead"]);
    expect(byId("why-card").dataset["tone"]).toBe("held");
    expect(byId("why-card").textContent).toContain("partial_tag");
    expect(byId("chat").textContent).toContain("Here is the chart, with last");
    expect(byId("chat").textContent).not.toContain("Anything else?");
    expect(all("directive").map((d) => d.dataset["stage"])).toEqual(["done", "done", "parsing"]);
    expect(all("ledger-row").map((r) => r.dataset["stage"])).toEqual(["done", "done", "ahead", "ahead"]);
  });

  it("has one thing in a row of the ledger that is cut off where it does not fit, and cuts nothing off before", async () => {
    await sixChunks();
    const said = all("ledger-said");
    expect(said.length).toBeGreaterThan(0);
    expect(said.map((line) => line.querySelectorAll(".clip").length)).toEqual(said.map(() => 1));
    expect(byId("ledger").textContent).not.toContain("…");
    expect(said[0]?.textContent.replaceAll(/\s+/g, " ").trim()).toMatch(/^“Here is the chart, .*” .*\d$/);
  });

  it("by byte asks the backend for exactly so many bytes", async () => {
    const { host } = await sixChunks();
    await press(byId("raw-text"), ",", { altKey: true });
    expect(calls(host, "turn_at").at(-1)).toEqual({ turn: 812, seq: sampleTurn().messages[0]?.chunks[5]?.seq, byte: [0, 132] });
    expect(byId("cursor-label").textContent).toBe("chunk 6 · byte 132");
  });

  it("by error, hold and delivery stops where those are, and marks them", async () => {
    const { console } = await open(812);
    type("Home", "e");
    await settle();
    const error = sampleTurn().decisions.find((d) => d.error);
    expect(console.selected?.seq).toBe(error?.seq);
    type("Home", "h");
    await settle();
    expect(byId("why-card").textContent).toContain("open_block");
    await press(byId("raw-text"), "}", { shiftKey: true });
    expect(all("ledger-row")[0]?.dataset["stage"]).toBe("open");
  });

  it("does not ask again for a moment it has", async () => {
    const { host } = await sixChunks();
    await press(byId("raw-text"), ",");
    const asked = calls(host, "turn_at").length;
    type(".", ",", ".");
    await settle();
    expect(calls(host, "turn_at").length).toBe(asked);
  });

  it("by key needs no list in focus, as when the view has just opened", async () => {
    await open(812);
    (document.activeElement as HTMLElement).blur();
    expect(document.activeElement).toBe(document.body);
    await press(document.body, ",");
    const [, chunk] = /^chunk (\d+) /.exec(byId("cursor-label").textContent) ?? [];
    expect(Number(chunk)).toBeGreaterThan(0);
    await press(byId("play"), ",");
    expect(byId("cursor-label").textContent).toContain(`chunk ${Number(chunk) - 1} `);
    await press(document.body, "y");
    expect(byId("why").textContent).toContain("Turn #812");
  });

  it("single letters do nothing in the filter", async () => {
    await sixChunks();
    await press(byId("filter"), ".");
    expect(byId("cursor-label").textContent).toBe("chunk 6 · byte 133");
  });
});

describe("playing", () => {
  it("begins anew at the end, and stops where one steps", async () => {
    await open(812);
    const end = byId("offset").textContent;
    await click(byId("play"));
    expect(byId("offset").textContent).not.toBe(end);
    expect(byId("play").getAttribute("aria-label")).toBe("Pause");
    await press(byId("raw-text"), "Home");
    expect(byId("play").getAttribute("aria-label")).toBe("Play the turn");
    expect(byId("offset").textContent).toBe("+0 ms");
  });

  it("by step goes from chunk to chunk", async () => {
    await open(812);
    await press(byId("raw-text"), "Home");
    await click(byId("speed-step"));
    await click(byId("play"));
    await click(byId("play"));
    expect(byId("cursor-label").textContent).toBe("chunk 2 · byte 28");
  });
});

it("tells beside an operation how far its message has come, when that is known", async () => {
  const { host } = await open(812);
  expect(all("reached")).toEqual([]);
  const detail = sampleTurn();
  const at = new Date(2026, 10, 22, 12, 3).toISOString();
  const reached = { seq: detail.head + 1, receipt: "delivered" as const, at };
  host.retell({ ...detail, head: detail.head + 1, ledger: detail.ledger.map((e) => (e.intent.kind === "send_text" ? { ...e, reached } : e)) });
  host.append([]);
  await settle();
  expect(all("reached").map((mark) => [mark.textContent, mark.closest<HTMLElement>("[data-testid='ledger-row']")?.dataset["op"]])).toEqual([["delivered 12:03", "send_text"]]);
});

describe("selecting", () => {
  it("an operation marks its bytes, its directive and its bar", async () => {
    await open(812);
    const react = all("ledger-row").find((r) => r.dataset["op"] === "react");
    await click(react as Element);
    expect(document.querySelector('[data-testid="directives"] .cursor')?.textContent).toContain("react");
    const marked = [...byId("raw-text").querySelectorAll(".marked")].map((e) => e.textContent).join("");
    expect(marked).toBe('<react emoji="thumbsup" />');
    const seq = sampleTurn().ledger.find((e) => e.intent.kind === "react")?.seq;
    expect(byId("waterfall").querySelector(`[data-seq="${seq}"]`)?.classList.contains("marked")).toBe(true);
  });

  it("a byte run marks the operations that showed it", async () => {
    await open(812);
    const run = [...byId("raw-text").querySelectorAll<HTMLElement>("[data-start]")].find((e) => e.textContent?.startsWith("Here is"));
    await click(run as Element);
    const linked = [...document.querySelectorAll('[data-testid="ledger"] .linked')].map((e) => e.textContent);
    expect(linked).toHaveLength(2);
    expect(linked.join(" ")).toContain("edit_text");
  });

  it("from another view goes to the moment of the event", async () => {
    const host = new SampleHost();
    const { console } = await stage(TurnView, undefined, undefined, host);
    const hold = sampleTurn().messages[0]?.holds.at(-1);
    console.select({ turn: 812, seq: hold?.seq });
    await settle();
    expect(byId("cursor-label").textContent).toBe("chunk 6 · byte 133");
  });
});

describe("a turn that", () => {
  it("was blocked shows the gate that said no in place of the map", async () => {
    await open(814);
    expect(byId("blocked-gate").textContent).toBe("channel_closed");
    expect(byId("why-steps").textContent).toContain("channels.signal.allow_from");
    expect(all("hold-map")).toHaveLength(0);
  });

  it("has narration shows its messages one after the other", async () => {
    await open(813);
    expect(byId("raw-text").textContent).toContain("narration 1");
    expect(byId("raw-text").textContent).toContain("Tool search is completed.");
    expect(byId("hold-map").querySelectorAll(".message")).toHaveLength(2);
  });

  it("is a megabyte long draws what is on the screen only", async () => {
    await open(816);
    expect(all("raw-row").length).toBeLessThan(40);
    expect(all("cell").length).toBeLessThanOrEqual(1200);
    expect(all("cell").some((c) => c.dataset["fate"] === "leak")).toBe(true);
  });

  it("leaked names the edit, its bytes and what they say, and marks them in every pane", async () => {
    const { console } = await open(816);
    const row = byId("ledger-leak").closest<HTMLElement>("[data-testid='ledger-row']");
    expect(row?.dataset["op"]).toBe("edit_text");
    expect(byId("ledger-leak").textContent).toContain("showed bytes 400,000–400,020");
    expect(byId("ledger-leak").textContent).toContain("<b>jumps</");
    expect(byId("hold-map-pane").textContent).toContain("20 leaked");
    // The alarm leads to the leak's own event: it marks that edit and those bytes.
    const seq = console.host instanceof SampleHost ? (await console.host.call("turn", { turn: 816 })).ledger[0]?.leaked[0]?.seq : undefined;
    console.openTurn(816, seq);
    await settle();
    expect(document.querySelector('[data-testid="ledger"] .linked')?.textContent).toContain("showed bytes 400,000");
  });

  it("runs is followed live, until one looks at an earlier moment", async () => {
    const { host } = await open(812);
    const detail = sampleTurn();
    const running = { ...detail, summary: { ...detail.summary, terminal: null } };
    host.retell({ ...running, head: detail.head + 1 });
    host.append([]);
    await settle();
    expect(byId("view-time").textContent).toContain("following");
    const first = detail.messages[0];
    if (first === undefined) throw new Error("no message");
    const span: [number, number] = [RAW.length, RAW.length + 5];
    const chunk = { seq: detail.head + 2, at_ms: 400, span };
    const longer = {
      ...running,
      head: detail.head + 2,
      messages: [{ ...first, raw: `${RAW} More`, chunks: [...first.chunks, chunk] }],
      decisions: [...detail.decisions, { seq: chunk.seq, at_ms: 1900, kind: "chunk" as const, message: 0, span, text: "5 bytes came.", error: false }],
    };
    host.retell(longer);
    host.append([]);
    await settle();
    expect(byId("cursor-label").textContent).toBe(`chunk 8 · byte ${RAW.length + 5}`);
    await press(byId("raw-text"), ",");
    host.retell({ ...longer, head: detail.head + 3 });
    host.append([]);
    await settle();
    expect(byId("cursor-label").textContent).toBe(`chunk 7 · byte ${RAW.length}`);
  });

  it("runs lets its clock and what it waits for go on while it is followed, and only then", async () => {
    const detail = sampleTurn();
    const began = Date.parse(detail.summary.at);
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"], now: began + 2_000 });
    // The frames of the test's window are an interval, too.
    vi.stubGlobal("requestAnimationFrame", (draw: FrameRequestCallback) => setTimeout(() => draw(performance.now())));
    try {
      const ledger = detail.ledger.map((entry, i) => (i === detail.ledger.length - 1 ? { ...entry, outcome: null, outcome_seq: null, waiting: "The platform says wait.", waiting_until_ms: 27_000 } : entry));
      const host = new SampleHost();
      const call = host.call.bind(host);
      host.call = async (name, args) => {
        const answer = await call(name, args);
        return name === "turn_at" ? { ...answer, at: new Date(began + 2_000).toISOString(), at_ms: 2_000, waiting: { op: 303, reason: "rate_limited" as const, about: "The platform says wait.", until_ms: 27_000 } } : answer;
      };
      host.retell({ ...detail, ledger, summary: { ...detail.summary, terminal: null } });
      const { console } = await stage(TurnView, undefined, undefined, host);
      console.select({ turn: 812 });
      await settle();
      const clocks = async (passed: number): Promise<unknown[]> => {
        vi.advanceTimersByTime(passed);
        await settle();
        const ledgerRow = all("ledger-row").find((row) => row.dataset["stage"] === "open");
        return [
          turnOf(812).querySelector(".took")?.textContent, byId("offset").textContent, byId("waterfall").getAttribute("aria-valuemax"),
          ...[byId("chat"), byId("why-card"), ledgerRow].map((pane) => /(?:in|another) ([\d.]+ s)/.exec(pane?.textContent ?? "")?.[1]),
        ];
      };
      expect(await clocks(0)).toEqual(["2 s", "+2,000 ms", "2000", "25 s", "25 s", "25 s"]);
      expect(await clocks(10_000)).toEqual(["12 s", "+12,000 ms", "12000", "15 s", "15 s", "15 s"]);
      // Who looks back is not moved; only the list still tells how long it takes.
      await press(byId("raw-text"), ",");
      const [, ...stood] = await clocks(0);
      expect(await clocks(10_000)).toEqual(["22 s", ...stood]);
      host.retell({ ...detail, head: detail.head + 1 });
      host.append([]);
      await press(byId("raw-text"), "End");
      const over = await clocks(0);
      expect(over.slice(0, 3)).toEqual(["1.81 s", "+1,810 ms", "1810"]);
      expect(await clocks(10_000)).toEqual(over);
    } finally {
      vi.useRealTimers();
      vi.unstubAllGlobals();
    }
  });

  it("is stopped by its number, while its agent may be at work", async () => {
    const { host } = await open(812);
    const detail = sampleTurn();
    let { head } = detail;
    const tell = async (change: Partial<typeof detail.summary>): Promise<string[]> => {
      host.retell({ ...detail, head: ++head, summary: { ...detail.summary, ...change } });
      host.append([]);
      await settle();
      const offered = document.querySelector('[data-testid="turn-stop"]') === null ? "no stop" : "stop";
      return [offered, ["waits", "running"].find((word) => byId("view-time").textContent?.includes(word)) ?? "ended"];
    };
    expect(await tell({ terminal: null, queued: true })).toEqual(["no stop", "waits"]);
    expect(await tell({ terminal: null, stopped: true })).toEqual(["no stop", "running"]);
    expect(await tell({})).toEqual(["no stop", "ended"]);
    expect(await tell({ terminal: null })).toEqual(["stop", "running"]);
    await click(byId("turn-stop"));
    await click(byId("confirm"));
    expect(calls(host, "session_cancel")).toEqual([{ session: detail.summary.session, turn: 812 }]);
    expect(calls(host, "sessions")).toEqual([]);
  });

  it("is run again where it came to nothing", async () => {
    const { host } = await open(812);
    const detail = sampleTurn();
    let { head } = detail;
    const offered = async (change: Partial<typeof detail.summary>): Promise<boolean> => {
      host.retell({ ...detail, head: ++head, summary: { ...detail.summary, ...change } });
      host.append([]);
      await settle();
      return document.querySelector('[data-testid="turn-again"]') !== null;
    };
    const failed = { state: "failed", detail: "overloaded" } as const;
    expect(await offered({ terminal: null })).toBe(false);
    expect(await offered({})).toBe(false);
    expect(await offered({ terminal: { state: "blocked", gate: "not_mentioned" } })).toBe(false);
    expect(await offered({ terminal: { state: "blocked", gate: "queue_full" } })).toBe(true);
    expect(await offered({ terminal: failed, stopped: true })).toBe(false);
    expect(await offered({ terminal: failed, stopped: false })).toBe(true);
    await click(byId("turn-again"));
    expect(calls(host, "turn_run_again")).toEqual([]);
    expect(byId("again-dialog").textContent).toMatch(/Run the message of turn #812 again\?.*on telegram/s);
    await click(byId("confirm"));
    expect(calls(host, "turn_run_again")).toEqual([{ turn: 812 }]);
  });

  it("cannot be read says so and can be asked for again", async () => {
    const { root } = await open(1);
    expect(root.textContent).toContain("There is no turn #1.");
    expect(root.textContent).toContain("Try again");
  });
});

describe("of a turn one can", () => {
  it("see other channels, labelled as approximations with their rules", async () => {
    const { host } = await open(812);
    const tab = byId("chat-tabs").querySelector('[data-tab="discord"]');
    await click(tab as Element);
    expect(calls(host, "compose").at(-1)).toMatchObject({ agent_output: RAW });
    expect(byId("chat-source").textContent).toContain("Approximation, rules: 2026-11");
    expect(byId("chat").textContent).toContain("Anything else?");
  });

  it("see what several messages add up to on another channel", async () => {
    await open(813);
    await click(byId("chat-tabs").querySelector('[data-tab="slack"]') as Element);
    const bubbles = all("bubble");
    expect(bubbles.filter((b) => b.dataset["from"] === "user")).toHaveLength(1);
    expect(bubbles[0]?.textContent).toContain("thumbsup");
    expect(byId("chat").textContent).toMatch(/Let me look at the numbers.*Anything else\?/s);
  });

  it("ask why", async () => {
    await open(814);
    await press(byId("waterfall"), "y");
    expect(byId("why").textContent).toContain("the allow list of signal is empty");
  });

  it("make a fixture, which opens among the fixtures", async () => {
    const { host, console } = await open(812);
    await press(byId("waterfall"), "t");
    expect((byId("make-fixture-path") as HTMLInputElement).value).toBe("made/turn-812.yaml");
    byId("make-fixture-store").closest("form")?.requestSubmit();
    await settle();
    expect(calls(host, "fixture_write").at(-1)).toEqual({ path: "made/turn-812.yaml", text: "name: Turn 812\n" });
    expect(console.view).toBe("fixtures");
    expect(console.fixtures.asked).toBe("made/turn-812.yaml");
  });
});
