import type { Commands } from "../generated/commands";
import type { Failure, Push, Topic } from "../generated/wire";

export type CommandName = keyof Commands;
export type Args<K extends CommandName> = Commands[K]["args"];
export type Result<K extends CommandName> = Commands[K]["result"];
export type Unsubscribe = () => void;

/** Files that a person drags over the window: they are over it, have left it, or were dropped. */
export type FileDrag = { readonly state: "over" } | { readonly state: "left" } | { readonly state: "dropped"; readonly paths: readonly string[] };

/**
 * The whole boundary between the page and the backend. Everything the page shows comes through `call` and `subscribe`;
 * nothing else in the page knows where it runs.
 */
export interface Host {
  /** Performs a command. Rejects with {@link HostFailure} and with nothing else. */
  call<K extends CommandName>(name: K, args: Args<K>): Promise<Result<K>>;
  /** Hears what the backend pushes about a topic until the answer is called. */
  subscribe(topic: Topic, onPush: (push: Push) => void): Unsubscribe;
  /** Says that the page is themed and may be seen. */
  ready(): void;
  /** The same backend's host of an open file; 0 is the live bot. */
  workspace(number: number): Host;
  /** Asks for files in the system's own dialog. None where the person chose none. */
  chooseFiles(): Promise<readonly string[]>;
  /** Hears of files that are dragged over the window until the answer is called. */
  onDrag(hear: (drag: FileDrag) => void): Unsubscribe;
}

/** A command that failed: what happened, under a stable name, and what to do about it. */
export class HostFailure extends Error implements Failure {
  readonly code: string;
  readonly hint: string | null;

  constructor({ code, message, hint }: Failure) {
    super(message);
    this.name = "HostFailure";
    this.code = code;
    this.hint = hint;
  }

  /** Whatever was thrown, as a failure. */
  static from(thrown: unknown): HostFailure {
    if (thrown instanceof HostFailure) return thrown;
    if (typeof thrown === "object" && thrown !== null && "code" in thrown && "message" in thrown) {
      const hint = "hint" in thrown && typeof thrown.hint === "string" ? thrown.hint : null;
      return new HostFailure({ code: String(thrown.code), message: String(thrown.message), hint });
    }
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new HostFailure({ code: "unexpected", message, hint: "The log drawer may say more." });
  }
}
