import type { ChannelId, Counters } from "../../generated/wire";
import type { Tone } from "../../parts/tone";

/** A counter of a channel's card: its name, and the filter that shows what it counted. */
export interface Figure {
  readonly key: keyof Counters;
  readonly title: string;
  readonly about: string;
  /** Beside `channel:…`. */
  readonly filter: string;
  /** When there is any. */
  readonly tone?: Tone;
}

export const figures: readonly Figure[] = [
  { key: "received", title: "received", about: "Messages that came in", filter: "kind:received" },
  { key: "sent", title: "sent", about: "Operations the platform acknowledged", filter: "kind:ended sent" },
  { key: "dry_run", title: "dry run", about: "Operations done in dry run", filter: "kind:ended is:dry_run" },
  { key: "held", title: "waiting", about: "Operations waiting", filter: "kind:waiting", tone: "held-timing" },
  { key: "unsupported", title: "unsupported", about: "Operations skipped as unsupported", filter: "kind:ended unsupported", tone: "notice" },
  { key: "failed", title: "failed", about: "Operations that failed", filter: "kind:ended is:error", tone: "danger" },
  { key: "unknown", title: "unknown", about: "Operations whose outcome is unknown", filter: "kind:ended unknown", tone: "danger" },
];

/** The filter behind a figure of a channel. */
export const filterOf = (channel: ChannelId, figure: Figure): string => `channel:${channel} ${figure.filter}`;
