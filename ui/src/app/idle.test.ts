import { cleanup, render } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import demo from "../../recordings/demo";
import { RecordedHost } from "../host/recorded";
import { found, layOut, press } from "../test/stage";
import App from "./App.svelte";

/** What the page has asked the browser to do later, and how often it asked. */
class Schedule {
  readonly timers = new Set<unknown>();
  readonly intervals = new Set<unknown>();
  readonly frames = new Set<unknown>();
  readonly real = { setTimeout: globalThis.setTimeout };

  constructor() {
    const { setTimeout, clearTimeout, setInterval, clearInterval, requestAnimationFrame, cancelAnimationFrame } = globalThis;
    const once = <A extends unknown[]>(kept: Set<unknown>, ask: (run: (...a: A) => void, ...more: never[]) => unknown) =>
      (run: (...a: A) => void, ...more: never[]) => {
        const id = ask((...args: A) => (kept.delete(id), run(...args)), ...more);
        kept.add(id);
        return id;
      };
    const drop = (kept: Set<unknown>, clear: (id: never) => void) => (id: never) => (kept.delete(id), clear(id));
    vi.stubGlobal("setTimeout", once(this.timers, setTimeout as never));
    vi.stubGlobal("clearTimeout", drop(this.timers, clearTimeout as never));
    vi.stubGlobal("setInterval", (run: () => void, ms: number) => {
      const id = setInterval(run, ms);
      this.intervals.add(id);
      return id;
    });
    vi.stubGlobal("clearInterval", drop(this.intervals, clearInterval as never));
    vi.stubGlobal("requestAnimationFrame", once(this.frames, requestAnimationFrame as never));
    vi.stubGlobal("cancelAnimationFrame", drop(this.frames, cancelAnimationFrame as never));
  }

  /** Waits until nothing is scheduled. A page that always has something to do next never gets there. */
  async rest(): Promise<void> {
    let turns = 0;
    while (this.timers.size + this.frames.size > 0) {
      expect((turns += 1), `${this.timers.size} timers, ${this.frames.size} frames`).toBeLessThan(2_000);
      await new Promise((resolve) => this.real.setTimeout(resolve, 5));
    }
  }
}

let schedule: Schedule;
beforeEach(() => {
  layOut();
  schedule = new Schedule();
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it.each([["2", "turn", "turns"], ["3", "compose", "previews"], ["1", "live", "turn-list"]])("asks for nothing more once nothing moves: view %s", async (key, view, sign) => {
  const host = new RecordedHost({ ...demo, pushes: [] });
  render(App, { props: { host } });
  await found("rate");
  await press(document.body, key);
  await found(`view-${view}`);
  await found(sign);
  await schedule.rest();
  // A clock that ticks while a turn runs or a request waits is what moves; here none does.
  expect(schedule.intervals.size, "intervals").toBe(0);
  const asked = host.calls.length;
  await new Promise((resolve) => schedule.real.setTimeout(resolve, 300));
  await schedule.rest();
  expect(host.calls.length, "calls of the backend").toBe(asked);
});
