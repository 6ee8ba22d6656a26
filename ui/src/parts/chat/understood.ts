// What was understood of a file, in words.

import type { FileFate, UnderstoodFile } from "../../generated/wire";
import { bytes, duration } from "../../store/format";

const REACHED: readonly FileFate[] = ["given", "transcribed", "described", "read"];

/** Whether the agent knows what is in a file of this fate. */
export const hasReached = (fate: FileFate): boolean => REACHED.includes(fate);

/** Who understood a file, how long that took, and what is left out; or why nothing was. Empty where nothing tells. */
export function told({ how, by, took_ms: took, text, bytes: size, cut, why }: UnderstoodFile): string {
  if (by === "" && why === "") return "";
  const who = by === "" ? how : `${how} by ${by}`;
  const time = duration(took);
  if (text === null) return `no ${who} after ${time}: ${why}`;
  return `${who} in ${time}${cut ? `, only the beginning of ${bytes(size)}` : ""}`;
}
