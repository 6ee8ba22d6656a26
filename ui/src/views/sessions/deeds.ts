import type { SessionLine } from "../../generated/wire";
import { plural } from "../../store/format";
import { called } from "./words";

/** Which conversation, and whose. */
export type Conversation = Pick<SessionLine, "session" | "channel" | "chat" | "sender" | "waiting">;

/** What can be done about a conversation. */
export type Deed = "session_cancel" | "session_drop" | "session_reset";

interface About {
  /** The question before it. */
  readonly title: (line: Conversation) => string;
  /** What follows from it. */
  readonly about: (line: Conversation) => string;
  readonly verb: string;
  /** The answer that does nothing, where “Cancel” could be taken for the deed. */
  readonly keep?: string;
  /** What was done, once it is. */
  readonly done: (line: Conversation) => string;
  readonly hint: string | null;
}

export const deeds: Readonly<Record<Deed, About>> = {
  session_cancel: {
    title: (line) => `Cancel the run for ${called(line)}?`,
    about: () => "What the agent said so far is delivered, and the user is told that it was stopped. What waits goes on.",
    verb: "Cancel run",
    keep: "Let it run",
    done: (line) => `Run for ${called(line)} cancelled.`,
    hint: null,
  },
  session_drop: {
    title: (line) => `Clear ${plural(line.waiting.length, "message")} of ${called(line)} from the queue?`,
    about: (line) => `They get no answer on ${line.channel}, also when the platform delivers them again. The running turn continues.`,
    verb: "Clear queue",
    done: (line) => `Queue of ${called(line)} cleared.`,
    hint: null,
  },
  session_reset: {
    title: (line) => `Reset the conversation with ${called(line)}?`,
    about: (line) => `The next message on ${line.channel} begins a new one. The running turn continues, and the journal keeps everything.`,
    verb: "Reset",
    done: (line) => `Conversation with ${called(line)} reset.`,
    hint: "Its next message begins a new one.",
  },
};

/** Whether there is anything to do about it. */
export function can(deed: Deed, { running, waiting, turns }: SessionLine): boolean {
  if (deed === "session_cancel") return running !== null && running.cancelled_by === null && running.doing !== "delivering";
  return deed === "session_drop" ? waiting.length > 0 : turns > 0;
}

/** What can be done about these conversations, as the palette lists it. */
export const offersOf = (lines: readonly SessionLine[]): { id: string; title: string; deed: Deed; line: SessionLine }[] =>
  lines.flatMap((line) =>
    (Object.keys(deeds) as Deed[])
      .filter((deed) => can(deed, line))
      .map((deed) => ({ id: `${deed}:${line.session}`, title: `${deeds[deed].title(line).replace(/\?$/, "")} on ${line.channel}`, deed, line })));
