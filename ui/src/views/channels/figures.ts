import type { ChannelId, Counters } from "../../generated/wire";
import type { Tone } from "../../parts/tone";

/** A counter of a channel's card: its name, and the filter that shows what it counted. */
export interface Figure {
  readonly key: keyof Counters;
  readonly title: string;
  readonly about: string;
  /** Beside `channel:…`; `null` for what stands now and is no sum of events. Typing is never counted. */
  readonly filter: string | null;
  /** When there is any. */
  readonly tone?: Tone;
}

export const figures: readonly Figure[] = [
  { key: "received", title: "received", about: "Messages that came in", filter: "kind:received" },
  { key: "stopped", title: "stopped", about: "Messages that a gate stopped: of strangers, seen before, or too many at once", filter: "kind:stopping" },
  { key: "sent", title: "sent", about: "Operations the platform acknowledged", filter: "outcome:sent,unchanged -kind:typing" },
  { key: "dry_run", title: "dry run", about: "Operations done in dry run", filter: "outcome:dry_run -kind:typing" },
  { key: "held", title: "waiting", about: "Operations waiting in the outbox now", filter: null, tone: "held-timing" },
  { key: "unsupported", title: "unsupported", about: "Operations skipped as unsupported", filter: "outcome:unsupported -kind:typing", tone: "notice" },
  { key: "failed", title: "failed", about: "Operations that failed, were not allowed or name a missing file", filter: "outcome:failed,not_allowed,missing -kind:typing", tone: "danger" },
  { key: "unknown", title: "unknown", about: "Operations whose outcome is unknown", filter: "outcome:unknown is:error -kind:typing,turn_ended", tone: "danger" },
];

/** The filter whose rows are exactly what a figure of a channel counted: everything `since` the process began. */
export const filterOf = (channel: ChannelId, filter: string, since: string | undefined): string =>
  `channel:${channel} ${filter}${since === undefined ? "" : ` after:${since}`}`;
