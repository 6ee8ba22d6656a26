import { shellStates } from "../../generated/closed";
import type { ShellCommand, ShellLine } from "../../generated/wire";

/** How a command ended, in words. */
export function outcome({ exit, note, ended }: ShellCommand): string {
  if (ended === null) return "running";
  return [exit === null ? null : `exit ${exit}`, note].filter((part) => part !== null).join(", ");
}

/** Whether it went wrong. */
export const failed = ({ exit, ended }: ShellCommand): boolean => ended !== null && exit !== 0;

/** What a state means. */
export const about = ({ state }: ShellLine): string => shellStates.find(({ code }) => code === state)?.about ?? state;

/** The last line that is said about a shell: what runs, or why it ended. */
export function now({ state, why_ended, commands }: ShellLine): string {
  if (state === "ended") return why_ended ?? "";
  return commands.at(-1)?.command.split("\n")[0] ?? "";
}
