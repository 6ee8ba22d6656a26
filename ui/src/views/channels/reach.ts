/** What arming a channel would let loose, in words. */
import type { ChannelState, WaitingFate } from "../../generated/wire";

export const spanOf = (hours: number): string => (hours === 1 ? "last hour" : hours === 24 ? "last day" : `last ${hours} hours`);

/** `2.5 an hour`: a mean, so it is only said of more than an hour. */
export function rateOf(n: number, hours: number): string {
  const mean = n / hours;
  return mean > 0 && mean < 0.1 ? "under 0.1 an hour" : `${Number(mean.toFixed(mean < 10 ? 1 : 0))} an hour`;
}

const FATES: Readonly<Record<WaitingFate, string>> = { sends: "goes out", asks: "asks first", stays: "stays here: a test" };

/** What becomes of a waiting operation. */
export const becomes = (fate: WaitingFate): string => FATES[fate];

const WHEN: Readonly<Record<ChannelState, string>> = {
  off: "as soon as it is on", connecting: "as soon as it is connected", down: "as soon as it is connected", rate_limited: "as soon as the platform lets it",
  up: "at once", degraded: "at once",
};

/** When what waits on an armed channel goes out, by where the channel stands. */
export const whenOut = (state: ChannelState): string => WHEN[state];
