import type { KeptSetting, TurnId } from "../../generated/wire";

/** The turns with one of them at another place, from 0; null where that is no change. */
export function moved(turns: readonly TurnId[], turn: TurnId, place: number): TurnId[] | null {
  const from = turns.indexOf(turn);
  if (from < 0 || place < 0 || place >= turns.length || place === from) return null;
  const rest = turns.filter((other) => other !== turn);
  return [...rest.slice(0, place), turn, ...rest.slice(place)];
}

export const written = ({ setting, value }: KeptSetting): string => `${setting} ${value}`;
