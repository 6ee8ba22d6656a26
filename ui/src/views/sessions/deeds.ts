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
  readonly done: string;
}

export const deeds: Readonly<Record<Deed, About>> = {
  session_cancel: {
    title: (line) => `Stop the turn of ${called(line)}?`,
    about: () => "What the agent said so far is delivered, and the user is told that it was stopped. What waits goes on.",
    verb: "Stop",
    done: "stopped",
  },
  session_drop: {
    title: (line) => `Drop ${plural(line.waiting.length, "message")} of ${called(line)}?`,
    about: (line) => `Nobody on ${line.channel} gets an answer to them, also when the platform delivers them again. What runs goes on.`,
    verb: "Drop",
    done: "dropped",
  },
  session_reset: {
    title: (line) => `Have the agent forget ${called(line)}?`,
    about: (line) => `The next message on ${line.channel} begins a new conversation. What runs goes on, and the journal keeps everything.`,
    verb: "Forget",
    done: "forgotten",
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
