import { cleanup } from "@testing-library/svelte";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Decision, Event, TurnDetail } from "../../generated/wire";
import { layOut, SIZE, stage } from "../../test/stage";
import { Fixtures, type BackendHost } from "./test/walk/backend";
import { foldUntil, type ByteFate, type Folded } from "./test/walk/fold";
import { readPanes, type Panes, type Run } from "./test/walk/panes";
import TurnView from "./TurnView.svelte";

/** Thousands of moments are drawn: a busy machine takes its time. */
const LONG_MS = 3_600_000;

let fixtures: Fixtures | undefined;
let host: BackendHost | undefined;
beforeAll(() => {
  layOut();
  fixtures = new Fixtures();
  host = fixtures.host();
}, LONG_MS);
afterAll(async () => {
  cleanup();
  await host?.end();
  fixtures?.remove();
});

const DIRECTIVES = new Set(["react", "send-file", "voice", "send-message"]);
const letters = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, "");
const count = (fold: Folded, fate: ByteFate): number => fold.messages.flatMap((m) => m.fates).filter((f) => f === fate).length;
const rows = (list: readonly object[]): string => list.map((row) => Object.values(row).join(" ")).join(", ");

function runsOf(fates: readonly ByteFate[]): Run[] {
  const runs: Run[] = [];
  fates.forEach((fate, byte) => {
    const last = runs.at(-1);
    if (last?.fate === fate) last.to = byte + 1;
    else runs.push({ from: byte, to: byte + 1, fate });
  });
  return runs;
}

/** The same without the reasons by which the strip tells runs of one fate apart. */
function joined(runs: readonly Run[]): Run[] {
  const found: Run[] = [];
  for (const run of runs) {
    const last = found.at(-1);
    if (last?.fate === run.fate && last.to === run.from) last.to = run.to;
    else found.push({ ...run });
  }
  return found;
}

/** Whether a platform's rendering of a text can be what is shown: markup vanishes, and nothing is put in. */
function isShownOf(shown: string, text: string): boolean {
  const [a, b] = [letters(shown), letters(text)];
  if (!/[*_~`<>[\]#|&\\]/.test(text)) return a === b;
  let at = 0;
  for (const c of b) if (c === a[at]) at += 1;
  return at === a.length && (a !== "" || b === "");
}

/** In what the panes differ from the fold, in words. */
function differences(panes: Panes, fold: Folded, decision: Decision, goesOn: boolean): string[] {
  const found: string[] = [];
  const same = (what: string, shown: unknown, folded: unknown): void => {
    if (String(shown) !== String(folded)) found.push(`${what} says ${String(shown)}, the fold ${String(folded)}`);
  };
  const held = count(fold, "held");
  // At the end of a turn that goes on, the clock goes on with the day.
  if (!goesOn) same("time", panes.atMs, fold.atMs);
  same("header, held,", panes.header.held, held);
  same("header, stripped,", panes.header.stripped, count(fold, "strip"));
  same("header, dropped,", panes.header.dropped, count(fold, "drop"));
  same("chat's time", panes.times[0], panes.times[1]);
  same("directives", rows(panes.directives.filter((d) => DIRECTIVES.has(d.name))), rows(fold.directives));
  same("ledger", rows(panes.ledger), rows(fold.ledger));
  same("number of messages in the chat", panes.chat.length, fold.chat.length);
  fold.chat.forEach((text, at) => {
    if (!isShownOf(panes.chat[at] ?? "", text)) found.push(`chat shows ${panes.chat[at]}, the fold ${text}`);
  });
  if (panes.strip.length > 0) {
    // A pixel has room for a byte; with more bytes than pixels the strip shows the most telling ones only.
    const fits = fold.messages.reduce((sum, m) => sum + m.fates.length, 0) * 2 < SIZE.width;
    fold.messages.forEach((message, at) => {
      if (fits) same(`strip of message ${at}`, rows(joined(panes.strip[at] ?? [])), rows(runsOf(message.fates)));
    });
  }
  if (fold.messages.length > 0) {
    const { lines } = panes.card;
    same("card, its decision", panes.card.seq, decision.seq);
    same("card, held,", /^[\d,]+/.exec(lines.get("Held") ?? "0")?.[0].replaceAll(",", ""), fold.messages.findLast((m) => m.holdReason !== null)?.fates.filter((f) => f === "held").length ?? 0);
    same("card, reason,", /\w+$/.exec(lines.get("Held") ?? "")?.[0] ?? null, fold.messages.findLast((m) => m.holdReason !== null)?.holdReason ?? null);
    for (const term of ["Rule", "Effect"]) if ((lines.get(term) ?? "") === "") found.push(`card has no ${term}`);
    if (lines.get("Rule")?.startsWith("process")) found.push("card does not know its decision");
    if (decision.span !== null && decision.kind !== "hold") {
      const [from, to] = decision.span;
      if (!(lines.get("Bytes") ?? "").startsWith(`${from.toLocaleString("en-US")}–${to.toLocaleString("en-US")}`)) found.push(`card says bytes ${lines.get("Bytes")}, the decision ${from}–${to}`);
    }
  }
  return found;
}

const SCANNER = new Set<Decision["kind"]>(["hold", "range", "directive", "diagnostic"]);

/** The event after which one stands at a decision. Right after a chunk nothing is decided about it: one stands after what the scanner said. */
function placeOf({ decisions, head }: TurnDetail, at: number): number {
  const decision = decisions[at];
  if (decision?.kind !== "chunk") return decision?.seq ?? head;
  const next = decisions.slice(at + 1).find((d) => !SCANNER.has(d.kind));
  return next === undefined ? head : next.seq - 1;
}

const KEYS: Partial<Record<Decision["kind"], string>> = { chunk: ".", delivery: "}" };

it("shows one instant in all panes, at every decision of every fixture's turn", { timeout: LONG_MS }, async () => {
  if (fixtures === undefined || host === undefined) throw new Error("The fixtures were not played.");
  const backend = host;
  const { console } = await stage(TurnView, undefined, undefined, backend);
  const found: string[] = [];
  let walked = 0;
  const press = async (key: string): Promise<void> => {
    const to = document.querySelector('[data-testid="raw-text"], [data-testid="blocked"]') ?? document.body;
    to.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    await backend.idle();
  };

  const walk = async (turn: number, events: readonly Event[]): Promise<void> => {
    console.select({ turn });
    await backend.idle();
    const detail = await backend.call("turn", { turn });
    // One key after the other through all there is of its kind, from the start.
    for (const kind of ["other", "delivery", "chunk"] as const) {
      const stops = detail.decisions.map((decision, at) => ({ decision, at })).filter(({ decision }) => (KEYS[decision.kind] === undefined ? "other" : decision.kind) === kind);
      document.querySelector<HTMLElement>('[data-testid="to-start"]')?.click();
      await backend.idle();
      let before = "";
      for (const { decision, at } of stops) {
        if (kind !== "other" || at > 0) await press(KEYS[decision.kind] ?? "]");
        walked += 1;
        const panes = readPanes();
        const place = placeOf(detail, at);
        const told = kind === "chunk" ? detail.decisions.findLast((d) => d.seq <= place) : decision;
        const goesOn = detail.summary.terminal === null && place >= detail.head;
        const differs = differences(panes, foldUntil(events, place), told ?? decision, goesOn);
        if (kind !== "chunk" && panes.card.text !== "" && panes.card.text === before) differs.push("card is that of the step before");
        before = panes.card.text;
        if (differs.length > 0) found.push(`turn ${turn}, ${kind} ${decision.seq} ${decision.text}: ${differs.join("; ")}`);
      }
    }
  };

  for (const [turn, events] of fixtures.turns()) {
    if (events[0]?.kind.type === "received") await walk(turn, events);
    if (found.length > 20) break;
  }
  expect(found).toEqual([]);
  expect(walked).toBeGreaterThan(5_000);
});
