import { describe, expect, it } from "vitest";
import { sampleMoment, sampleTurn } from "../test/sample";
import { Moments } from "./moments";
import type { Position } from "./timeline";

const detail = sampleTurn();
const at = (seq: number): Position => ({ seq, atMs: 0, byte: null });

/** A backend that answers when it is told to. */
function backend() {
  const asked: number[] = [];
  const answers: (() => void)[] = [];
  const shown: number[] = [];
  const failed: unknown[] = [];
  let broken = false;
  const moments = new Moments(
    812,
    (turn, position) =>
      new Promise((resolve, reject) => {
        asked.push(position.seq);
        answers.push(() => (broken ? reject(new Error("gone")) : resolve(sampleMoment(detail, { turn, seq: position.seq, byte: null }))));
      }),
    (moment) => shown.push(moment.seq),
    (reason) => failed.push(reason),
  );
  const answer = async (): Promise<void> => {
    answers.shift()?.();
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { moments, asked, shown, failed, answer, breakDown: () => (broken = true) };
}

describe("moments", () => {
  it("asks for one at a time, and of many wishes only for the latest", async () => {
    const { moments, asked, shown, answer } = backend();
    for (const seq of [8001, 8002, 8003, 8004]) moments.want(at(seq));
    expect(asked).toEqual([8001]);
    await answer();
    expect(asked).toEqual([8001, 8004]);
    await answer();
    expect(shown).toEqual([8001, 8004]);
  });

  it("keeps what was answered", async () => {
    const { moments, asked, shown, answer } = backend();
    moments.want(at(8001));
    await answer();
    moments.want(at(8001));
    expect(asked).toEqual([8001]);
    expect(shown).toEqual([8001, 8001]);
  });

  it("drops a wish that a kept moment has overtaken", async () => {
    const { moments, asked, answer } = backend();
    moments.want(at(8001));
    await answer();
    moments.want(at(8002));
    moments.want(at(8003));
    moments.want(at(8001));
    await answer();
    expect(asked).toEqual([8001, 8002]);
  });

  it("goes on after a failure and shows nothing once closed", async () => {
    const { moments, shown, failed, answer, breakDown } = backend();
    breakDown();
    moments.want(at(8001));
    await answer();
    expect(failed).toHaveLength(1);
    moments.want(at(8002));
    moments.close();
    await answer();
    expect(failed).toHaveLength(1);
    expect(shown).toEqual([]);
  });
});
