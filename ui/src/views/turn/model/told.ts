// What came beside a message, as rows for people to read.

import { plural } from "../../../store/format";
import type { GroupMessage, InboundContext, QuotedMessage, ReadThread, ThreadContext, UnderstoodFile } from "../../../generated/wire";

/** A row: what it is, and its words. */
export interface ToldRow {
  what: string;
  text: string;
}

const by = (what: string, sender: string | undefined): string => (sender === undefined ? what : `${what}, ${sender}`);

const said = (what: string, message: QuotedMessage): ToldRow => ({
  what: by(what, message.own === true ? "the bot" : message.sender),
  text: message.text === "" ? (message.id ?? "") : message.text,
});

const HOLDS = { transcript: "Said in", description: "Shown in", text: "Text of" } as const;

/** A file with what was understood of it, or why nothing was. */
const understood = ({ name, how, text, cut, why }: UnderstoodFile): ToldRow =>
  text === null ? { what: `${HOLDS[how]} ${name}: not known`, text: why } : { what: `${HOLDS[how]} ${name}${cut ? ", cut" : ""}`, text };

/** What was said in a thread before a message. */
function threadRows({ starter, recent }: ThreadContext): ToldRow[] {
  const began = starter === undefined ? [] : [said("Thread began with", starter)];
  return [...began, ...(recent ?? []).map((message) => said("In the thread", message))];
}

/** What was read of a thread for a turn, and how much of it the agent was not given. */
function readRows({ thread, left_out: leftOut }: ReadThread): ToldRow[] {
  const rows = threadRows(thread);
  if (leftOut > 0) rows.push({ what: "Left out of the thread", text: `${plural(leftOut, "message")} of people who may not write here` });
  return rows;
}

/** The rows of what came with a message, of what was read of its thread and understood of its files, and of what was said in its group before. */
export function toldBeside(
  context: InboundContext | undefined,
  history: readonly GroupMessage[],
  files: readonly UnderstoodFile[] = [],
  read?: ReadThread,
): ToldRow[] {
  const rows: ToldRow[] = [];
  const { quote, thread, forwarded_from: from, location, group, sender } = context ?? {};
  if (quote !== undefined) rows.push(said("Answers", quote));
  if (read !== undefined) rows.push(...readRows(read));
  else if (thread !== undefined) rows.push(...threadRows(thread));
  if (from !== undefined) rows.push({ what: "Passed on from", text: from });
  if (location !== undefined) {
    const place = [location.name, location.address, `${location.latitude}, ${location.longitude}`];
    rows.push({ what: "Place", text: place.filter((word) => word !== undefined && word !== "").join(", ") });
  }
  const titles = [group?.name, ...(group?.members ?? [])].filter((name) => name !== undefined);
  if (titles.length > 0) rows.push({ what: "Group", text: titles.join(", ") });
  const ids = [...(sender?.ids ?? []), sender?.phone, ...(sender?.names ?? [])].filter((id) => id !== undefined);
  if (ids.length > 0) rows.push({ what: "Sender, too", text: ids.join(", ") });
  rows.push(...files.map(understood));
  for (const message of history) rows.push({ what: by("Group before", message.sender), text: message.text });
  return rows;
}
