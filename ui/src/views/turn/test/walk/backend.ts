/** The real backend over the journal of all fixtures, spoken to as `foldback serve --commands` is. */
import { execFileSync, spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import demo from "../../../../../recordings/demo";
import type { Event, Failure } from "../../../../generated/wire";
import { HostFailure, type Args, type CommandName, type Result } from "../../../../host/host";
import { RecordedHost } from "../../../../host/recorded";

const PROGRAM = resolve(process.cwd(), "../target/debug/foldback");
const FIXTURES = resolve(process.cwd(), "../fixtures");

/** What is asked of the real backend; the rest of the window plays the recording of the demonstration. */
const ASKED: ReadonlySet<CommandName> = new Set<CommandName>(["turn", "turn_at", "action_chain", "why", "compose"]);

/** Bytes of output that are taken from the program. */
const MOST = 1 << 28;

/** Every fixture, played once, on one channel. */
export class Fixtures {
  readonly #folder = mkdtempSync(join(tmpdir(), "foldback-walk-"));
  readonly #env: NodeJS.ProcessEnv;

  constructor() {
    if (!existsSync(PROGRAM)) throw new Error("The command line is not built. Run `make cli` first.");
    this.#env = { ...process.env, FOLDBACK_DATA_DIR: this.#folder };
    // Fixtures happen on days of their own, which lie further back than a bot keeps its journal.
    writeFileSync(join(this.#folder, "foldback.toml"), '[store]\nkeep = "0s"\n');
    // A fixture that is not written for this channel plays on it all the same, and may expect something else.
    const played = spawnSync(PROGRAM, ["replay", FIXTURES, "--channel", "telegram", "--db", this.#journal], { env: this.#env, encoding: "utf8", maxBuffer: MOST });
    if (!existsSync(this.#journal)) throw new Error(`The fixtures were not played: ${played.stderr}`);
  }

  get #journal(): string {
    return join(this.#folder, "walk.sqlite");
  }

  #run(...args: string[]): string {
    return execFileSync(PROGRAM, args, { env: this.#env, encoding: "utf8", maxBuffer: MOST });
  }

  /** The events of every turn, by its number. */
  turns(): Map<number, Event[]> {
    const turns = new Map<number, Event[]>();
    for (const line of this.#run("journal", "query", "--config", this.#config, "--db", this.#journal).split("\n")) {
      if (line === "") continue;
      const event = JSON.parse(line) as Event;
      if (event.turn === null) continue;
      const events = turns.get(event.turn) ?? [];
      events.push(event);
      turns.set(event.turn, events);
    }
    return turns;
  }

  get #config(): string {
    return join(this.#folder, "foldback.toml");
  }

  /** A backend that has this journal. */
  host(): BackendHost {
    return new BackendHost(spawn(PROGRAM, ["serve", "--config", this.#config, "--db", this.#journal, "--commands"], { env: this.#env }));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Answers about turns with what the real backend says. */
export class BackendHost extends RecordedHost {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #open: ((line: string) => void)[] = [];

  constructor(process: ChildProcessWithoutNullStreams) {
    super(demo);
    this.#process = process;
    // What it logs is not looked at, and must not fill the pipe.
    process.stderr.resume();
    createInterface(process.stdout).on("line", (line) => this.#open.shift()?.(line));
  }

  override async call<K extends CommandName>(name: K, args: Args<K>): Promise<Result<K>> {
    if (!ASKED.has(name)) return super.call(name, args);
    const line = await new Promise<string>((answer) => {
      this.#open.push(answer);
      this.#process.stdin.write(`${JSON.stringify({ command: name, args })}\n`);
    });
    const { answer, failure } = JSON.parse(line) as { answer?: unknown; failure?: Failure };
    if (failure !== undefined) throw new HostFailure(failure);
    return answer as Result<K>;
  }

  /** Resolves once everything asked was answered and drawn. */
  async idle(): Promise<void> {
    do {
      await new Promise((resolve) => setTimeout(resolve));
      await new Promise((resolve) => setTimeout(resolve));
    } while (this.#open.length > 0);
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill();
    await ended;
  }
}
