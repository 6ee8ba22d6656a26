/** The files that are open beside the live bot, and which of all that the window shows. */
import type { Workspace, WorkspaceSource } from "../generated/wire";
import { HostFailure, type FileDrag } from "../host/host";
import { plural } from "../store/format";
import type { Console } from "./console.svelte";

/** An open file with the console that looks at it. */
export interface OpenFile {
  readonly about: Workspace;
  readonly console: Console;
}

const SHOWN_KEY = "foldback.workspace";
const SCHEME = "foldback:";

/** Whether a text is meant as a link. */
export const isLink = (target: string): boolean => target.trim().toLowerCase().startsWith(SCHEME);

/** The last part of a path. */
export const nameOf = (path: string): string => path.split(/[/\\]/).findLast((part) => part !== "") ?? path;

export class Workspaces {
  readonly live: Console;
  readonly #make: (number: number) => Console;
  /** How often something was opened: what was asked for last is what is shown. */
  #asked = 0;

  files = $state.raw<readonly OpenFile[]>([]);
  /** 0 is the live bot. */
  shown = $state(0);
  /** What is being read, by its name. */
  opening = $state.raw<readonly string[]>([]);
  /** The dialog that asks what to open. */
  asking = $state(false);
  /** What came in of the file that is shown. */
  summary = $state(false);
  /** Files are dragged over the window. */
  dragging = $state(false);
  /** Alarms of the live bot that there were when one looked away from it. */
  #seenAlarms = $state(0);

  /** `make` makes the console of an open file. */
  constructor(live: Console, make: (number: number) => Console) {
    this.live = live;
    this.#make = make;
  }

  /** The file that is shown; null for the live bot. */
  get file(): OpenFile | null {
    return this.files.find(({ about }) => about.workspace === this.shown) ?? null;
  }

  /** The console of what is shown. */
  get console(): Console {
    return this.file?.console ?? this.live;
  }

  /** Alarms of the live bot since one looked away from it. */
  get liveAlarms(): number {
    return this.shown === 0 ? 0 : this.live.alarmsTotal - this.#seenAlarms;
  }

  /** Hears of dragged files, and takes up what was open before the page was loaded again. */
  connect(): () => void {
    const unsubscribe = this.live.host.onDrag((drag) => this.#dragged(drag));
    const shown = Number(sessionStorage.getItem(SHOWN_KEY) ?? 0);
    if (shown > 0) void this.#resume(shown);
    return unsubscribe;
  }

  async #resume(shown: number): Promise<void> {
    try {
      for (const about of await this.live.host.call("workspaces", {})) this.#add(about);
      if (this.files.some(({ about }) => about.workspace === shown)) this.show(shown);
    } catch (thrown) {
      this.live.fail(thrown);
    }
  }

  #dragged(drag: FileDrag): void {
    this.dragging = drag.state === "over";
    if (drag.state === "dropped" && drag.paths.length > 0) void this.open({ of: "files", paths: [...drag.paths], bot: null });
  }

  /** Opens files and links that somebody named outside of the window; asks what where none is named. */
  openTargets(targets: readonly string[]): void {
    const paths = targets.filter((target) => !isLink(target));
    if (paths.length > 0) void this.open({ of: "files", paths, bot: null });
    for (const link of targets.filter(isLink)) void this.openLink(link);
    if (targets.length === 0) this.asking = true;
  }

  /** Opens files beside the live bot and shows them; answers them, or nothing where that failed, which is said. */
  async open(source: WorkspaceSource): Promise<OpenFile | undefined> {
    try {
      return await this.opened(source);
    } catch (thrown) {
      this.console.fail(thrown);
      return undefined;
    }
  }

  /** The same; a failure is the caller's to show. */
  async opened(source: WorkspaceSource): Promise<OpenFile> {
    const asked = (this.#asked += 1);
    const name = source.of === "case" ? `${nameOf(source.path)} on ${source.channel}` : source.paths.map(nameOf).join(", ");
    this.opening = [...this.opening, name];
    try {
      const about = await this.live.host.call("workspace_open", { source });
      const file = this.#add(about);
      // What was asked for meanwhile will be shown instead; this one is in the list.
      if (asked === this.#asked) {
        this.show(about.workspace);
        this.summary = source.of === "files";
      }
      this.console.announce(`Opened ${about.name}: ${plural(about.turns, "turn")}`);
      return file;
    } finally {
      const at = this.opening.indexOf(name);
      this.opening = this.opening.filter((_, index) => index !== at);
    }
  }

  /** Shows where a link leads; what is wrong with it is said. */
  async openLink(link: string): Promise<void> {
    try {
      await this.followLink(link);
    } catch (thrown) {
      this.console.fail(thrown);
    }
  }

  /** Shows where a link leads; its file is opened first where it has one. A failure is the caller's to show. */
  async followLink(link: string): Promise<void> {
    const { turn, at_ms, file } = await this.live.host.call("link_read", { link });
    if (file === null) {
      this.show(0);
      this.live.openMoment(turn, at_ms);
      return;
    }
    const known = this.files.find(({ about: { source } }) => source.of === "files" && source.paths.length === 1 && source.paths[0] === file);
    const opened = known ?? (await this.opened({ of: "files", paths: [file], bot: null }));
    this.show(opened.about.workspace);
    this.summary = false;
    opened.console.openMoment(turn, at_ms);
  }

  /** The path that a link into a workspace names: null for the live bot, undefined where it is not one file. */
  linkedFile(workspace: number): string | null | undefined {
    if (workspace === 0) return null;
    const source = this.files.find(({ about }) => about.workspace === workspace)?.about.source;
    return source?.of === "files" && source.paths.length === 1 ? source.paths[0] : undefined;
  }

  /** Shows the live bot (0) or an open file. */
  show(workspace: number): void {
    if (workspace === this.shown) return;
    if (this.shown === 0) this.#seenAlarms = this.live.alarmsTotal;
    this.summary = false;
    this.shown = workspace;
    sessionStorage.setItem(SHOWN_KEY, String(workspace));
    this.console.announce(workspace === 0 ? "The live bot" : `Replayed: ${this.file?.about.name ?? ""}`);
  }

  /** Closes a file; the live bot is shown in its place. */
  async close(workspace: number): Promise<void> {
    if (this.shown === workspace) this.show(0);
    this.files = this.files.filter(({ about }) => about.workspace !== workspace);
    try {
      await this.live.host.call("workspace_close", { workspace });
    } catch (thrown) {
      // One that is not open any more is closed, which is all that was asked.
      if (HostFailure.from(thrown).code !== "no_workspace") this.live.fail(thrown);
    }
  }

  #add(about: Workspace): OpenFile {
    const file = { about, console: this.#make(about.workspace) };
    const source = JSON.stringify(about.source);
    // The backend closed an earlier one of this source.
    const others = this.files.filter((one) => JSON.stringify(one.about.source) !== source);
    if (this.shown !== 0 && !others.some((one) => one.about.workspace === this.shown)) this.shown = 0;
    this.files = [...others, file];
    return file;
  }
}
