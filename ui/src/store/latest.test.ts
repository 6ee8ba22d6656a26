import { describe, expect, it } from "vitest";
import { Latest } from "./latest";

/** A backend that answers when it is told to. */
function backend(fails = false) {
  const asked: number[] = [];
  const shown: number[] = [];
  const failed: number[] = [];
  const answers: (() => void)[] = [];
  const latest = new Latest<number, number>(
    (wish) =>
      new Promise((resolve, reject) => {
        asked.push(wish);
        answers.push(() => (fails ? reject(new Error()) : resolve(wish * 10)));
      }),
    (answer) => shown.push(answer),
    (_, wish) => failed.push(wish),
  );
  const answer = async (): Promise<void> => {
    answers.shift()?.();
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { latest, asked, shown, failed, answer };
}

describe("the latest wish", () => {
  it("waits for the one in flight and wins over those before it", async () => {
    const { latest, asked, shown, answer } = backend();
    [1, 2, 3, 4].forEach((wish) => latest.want(wish));
    expect(asked).toEqual([1]);
    await answer();
    expect(asked).toEqual([1, 4]);
    expect(latest.busy).toBe(true);
    await answer();
    expect(shown).toEqual([10, 40]);
    expect(latest.busy).toBe(false);
  });

  it("can be taken back", async () => {
    const { latest, asked, answer } = backend();
    latest.want(1);
    latest.want(2);
    latest.unwish();
    await answer();
    expect(asked).toEqual([1]);
  });

  it("is asked for after a failure too, and shows nothing once closed", async () => {
    const { latest, failed, shown, answer } = backend(true);
    latest.want(1);
    latest.want(2);
    await answer();
    expect(failed).toEqual([1]);
    latest.close();
    await answer();
    expect([failed, shown]).toEqual([[1], []]);
  });
});
