import { readFileSync } from "node:fs";
import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TurnDetail } from "../../generated/wire";
import type { Args, CommandName, Result } from "../../host/host";
import { RecordedHost, type Recording } from "../../host/recorded";
import { byId, layOut, press, settle, stage } from "../../test/stage";
import { cellsOf } from "./model/cells";
import { Timeline } from "./model/timeline";
import TurnView from "./TurnView.svelte";

/** What the real backend said about the demonstration; of its first turn every moment and every byte. */
const real = JSON.parse(readFileSync("src/host/recorded/demo.json", "utf8")) as Recording;
const turns = real.calls.filter((c) => c.name === "turn").map((c) => c.result as TurnDetail);
const first = turns.find((t) => t.summary.turn === 1);
if (first === undefined) throw new Error("the recording has turn 1");

/** The recording has a moment for every decision; for an event that is none, the decision before it answers. */
class Tape extends RecordedHost {
  override async call<K extends CommandName>(name: K, args: Args<K>): Promise<Result<K>> {
    if (name !== "turn_at") return super.call(name, args);
    let at = args as Args<"turn_at">;
    const has = (): boolean => real.calls.some((c) => c.name === name && JSON.stringify(c.args) === JSON.stringify(at));
    while (!has() && at.seq > 0) at = { turn: at.turn, seq: at.seq - 1, byte: at.byte };
    return super.call(name, at as Args<K>);
  }
}

beforeEach(layOut);
afterEach(cleanup);

async function open(turn: number) {
  const window = await stage(TurnView, undefined, undefined, new Tape(real));
  window.console.select({ turn });
  await settle();
  return window;
}

const fates = (): (string | undefined)[] => [...document.querySelectorAll<HTMLElement>('[data-testid="cell"]')].map((c) => c.dataset["fate"]);

describe("a turn as the real backend tells it", () => {
  it("is scrubbed by chunk: held while the block is open, then stripped, then shown", async () => {
    await open(1);
    await press(byId("raw-text"), "Home");
    const seen: string[] = [];
    for (const chunk of first.messages[0]?.chunks ?? []) {
      await press(byId("raw-text"), ".");
      expect(byId("cursor-label").textContent).toContain(`byte ${chunk.span[1]}`);
      seen.push(fates().filter((f) => f !== "ahead").join(" "));
    }
    expect(seen[0]).toBe("held");
    expect(seen).toContainEqual(expect.stringMatching(/^strip( drop)? show/));
    expect(byId("hold-map-pane").querySelector("[role='alert']")).toBeNull();
  });

  it("is scrubbed by byte through a held tag", async () => {
    await open(1);
    await press(byId("raw-text"), "Home");
    await press(byId("raw-text"), ".");
    for (let back = 0; back < 5; back++) await press(byId("raw-text"), ",", { altKey: true });
    const bytes = (first.messages[0]?.chunks[0]?.span[1] ?? 0) - 5;
    expect(byId("cursor-label").textContent).toContain(`byte ${bytes}`);
    expect(byId("why-card").dataset["tone"]).toBe("held");
  });

  it("has a partition of its bytes and a place for every step, whatever it is", () => {
    for (const turn of turns) {
      const timeline = new Timeline(turn);
      for (const { message, raw, ranges, chunks } of turn.messages) {
        const total = new TextEncoder().encode(raw).length;
        const cells = cellsOf({ total, came: total, ranges, hold: null });
        expect(cells.every((cell, i) => cell.start === (cells[i - 1]?.end ?? 0))).toBe(true);
        expect(cells.at(-1)?.end).toBe(total);
        expect(cells.some((cell) => cell.fate === "open")).toBe(false);
        for (const chunk of chunks) expect(timeline.atByte(message, chunk.span[1]).byte).toBeNull();
      }
    }
  });
});
