import { doings, permissionKinds } from "../../generated/closed";
import type { Actor, PendingPermission, PermissionKind, PermissionOption, RunningTurn, SessionLine } from "../../generated/wire";

/** Who did something, in words. */
export const who = (by: Actor): string =>
  typeof by === "string" ? ({ console: "the console", cli: "the command line" }[by as string] ?? by) : by.user;

/** What an answer means, in words: agents name it as they like. */
export const means = (kind: PermissionKind): string => permissionKinds.find((k) => k.code === kind)?.about ?? "";

export const allows = (kind: PermissionKind): boolean => kind === "allow_once" || kind === "allow_always";

/** Whether an answer counts for more than this one call. */
export const forEver = (kind: PermissionKind): boolean => kind === "allow_always" || kind === "reject_always";

/** The role of a line of a diff: `+` is gained, `-` is lost, `@@` says where. */
export const lineTone = (line: string): string => (line.startsWith("+") ? "ok" : line.startsWith("-") ? "danger" : line.startsWith("@@") ? "dim" : "");

/** The answers in one order for every agent: allow before reject, once before for ever. */
export const byMeaning = (options: readonly PermissionOption[]): PermissionOption[] =>
  permissionKinds.flatMap(({ code }) => options.filter(({ kind }) => kind === code));

/** What a turn does at the moment, in words. */
export function does({ doing, tool, cancelled_by }: RunningTurn): string {
  if (cancelled_by !== null) return `stopping, by ${who(cancelled_by)}`;
  return tool === null ? doing : `calls ${tool}`;
}

export const aboutDoing = ({ doing }: RunningTurn): string => doings.find((d) => d.code === doing)?.about ?? "";

/** The events of a conversation, as a filter. */
export const eventsOf = (session: string, more = ""): string => `session:${quoted(session)}${more === "" ? "" : ` ${more}`}`;

const quoted = (text: string): string => (/^[\w:#@.+-]+$/.test(text) ? text : JSON.stringify(text));

/** How many milliseconds are left to answer. */
export const left = ({ until }: PendingPermission, now: number): number => Math.max(0, Date.parse(until) - now);

export const called = ({ sender, chat, session }: Pick<SessionLine, "sender" | "chat" | "session">): string => sender || (chat ?? session);
