/** How a text fills what a channel takes in one message. */
import type { Bubble, ChannelCard, LengthUnit } from "../../../generated/wire";

const UNITS: Record<LengthUnit, string> = { utf16: "UTF-16 units", scalars: "characters", bytes: "bytes" };

/** The unit in words, from the channel's capabilities. */
export function unitOf(card: ChannelCard | undefined): string {
  return card === undefined ? "" : UNITS[card.capabilities.unit];
}

export interface Fill {
  /** 0–1, or more where it does not fit. */
  share: number;
  tone: "ok" | "warn" | "danger";
}

/** Above nine tenths a person should know, above the limit it does not go out as it is. */
export function fillOf({ length, limit }: Pick<Bubble, "length" | "limit">): Fill {
  const share = limit === 0 ? 0 : length / limit;
  return { share, tone: share > 1 ? "danger" : share > 0.9 ? "warn" : "ok" };
}
