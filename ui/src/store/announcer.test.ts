import { expect, it } from "vitest";
import { Announcer, QUIET_MS, type Timer } from "./announcer";

class Hand implements Timer {
  at = 0;
  due: { at: number; run: () => void }[] = [];
  now = (): number => this.at;
  after = (ms: number, run: () => void): void => void this.due.push({ at: this.at + ms, run });
  pass(ms: number): void {
    this.at += ms;
    const ready = this.due.filter((d) => d.at <= this.at);
    this.due = this.due.filter((d) => d.at > this.at);
    for (const { run } of ready) run();
  }
}

it("speaks at once, then keeps quiet for five seconds, then says only the latest", () => {
  const hand = new Hand();
  const said: string[] = [];
  const announcer = new Announcer((text) => said.push(text), hand);
  announcer.announce("1 new event");
  for (let n = 2; n <= 400; n += 1) {
    hand.pass(10);
    announcer.announce(`${n} new events`);
  }
  expect(said).toEqual(["1 new event"]);
  hand.pass(QUIET_MS);
  expect(said).toEqual(["1 new event", "400 new events"]);
  hand.pass(10 * QUIET_MS);
  expect(said).toHaveLength(2);
});
