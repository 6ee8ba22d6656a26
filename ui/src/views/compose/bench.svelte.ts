/** What the Compose view works on: a user message, an agent's output, and what the backend says about them. */
import type { CatalogAction, CatalogEntry, ChannelCard, ChannelId, Composed, ComposeFile, TurnId } from "../../generated/wire";
import { HostFailure } from "../../host/host";
import type { Console } from "../../state/console.svelte";
import { bytes } from "../../store/format";
import { Latest } from "../../store/latest";
import { ByteText } from "../../store/text";
import { History, LONGEST, type Draft } from "./model/history";

const KEY = "foldback.compose.draft";

/** What stands there at the very first start: the documented example of a reaction, then text. */
const EXAMPLE: Draft = {
  user: "How was my talk?",
  output: '<actions>\n  <react emoji="thumbsup" />\n</actions>\nGreat idea, and well told!',
};

/** Bytes of files that come with one message: what simulated platforms keep. Together, for older ones make room for newer. */
const ROOM = 64_000_000;

/** Drafts too long to be kept on the disk, by window: they last as long as it does. */
const long = new WeakMap<Console, Draft>();

/** The channels chosen, by window: another look at the view finds it again, be it switched off meanwhile. */
const targets = new WeakMap<Console, ChannelId>();

/** An answer together with the text it is about. */
export interface Reading {
  readonly composed: Composed;
  readonly text: ByteText;
  readonly user: string;
}

export class Bench {
  readonly #console: Console;
  readonly #latest: Latest<Draft, Composed>;
  readonly #history = new History(localStorage);
  #frame = 0;
  /** The channels through which a message is to be a dry run. */
  #dry: readonly ChannelId[] = [];

  user = $state("");
  output = $state("");
  /** Who answers: the text written here, or the agent of the configuration. */
  answers = $state<"text" | "agent">("text");
  reading = $state.raw<Reading | null>(null);
  failure = $state.raw<HostFailure | null>(null);
  /** What comes with the user's message; kept as long as the view. */
  files = $state.raw<readonly File[]>([]);
  templates = $state.raw<readonly CatalogEntry[]>([]);
  /** What a user can write with a slash. */
  commands = $state.raw<readonly CatalogEntry[]>([]);
  /** What the agent can ask for beside its words. */
  actions = $state.raw<readonly CatalogAction[]>([]);
  sending = $state(false);
  #channel = $state<ChannelId | null>(null);
  /** Whether nothing may reach the platform; `null` until somebody says it: then what is simulated acts on its simulation. */
  wish = $state<boolean | null>(null);
  /** How far back in the history one is. */
  back = $state(0);

  constructor(console: Console) {
    this.#console = console;
    const { user, output } = long.get(console) ?? stored() ?? EXAMPLE;
    [this.user, this.output] = [user, output];
    this.#channel = targets.get(console) ?? null;
    this.#latest = new Latest(
      ({ user: user_text, output: agent_output }) => console.host.call("compose", { user_text, agent_output, channels: [], dry_run: [...this.#dry] }),
      (composed, { user, output }) => {
        this.reading = { composed, text: new ByteText(output), user };
        this.failure = null;
      },
      (reason) => (this.failure = HostFailure.from(reason)),
    );
    void console.try("catalog", {}).then((catalog) => {
      this.templates = catalog?.templates ?? [];
      this.commands = catalog?.commands ?? [];
      this.actions = catalog?.actions ?? [];
    });
  }

  /** The channel that the key sends through; kept as long as the window. */
  get channel(): ChannelId | null {
    return this.#channel;
  }

  set channel(channel: ChannelId) {
    this.#channel = channel;
    targets.set(this.#console, channel);
  }

  get draft(): Draft {
    return { user: this.user, output: this.output };
  }

  /** Whether the draft is too long to be there after the next start. */
  get fleeting(): boolean {
    return isLong(this.draft);
  }

  /** Whether what is read belongs to a text that is no longer there. */
  get stale(): boolean {
    return this.reading !== null && (this.reading.text.text !== this.output || this.reading.user !== this.user);
  }

  /** Takes in what was typed; the backend is asked once a frame at most. */
  edit(change: Partial<Draft>): void {
    if (change.user !== undefined) this.user = change.user;
    if (change.output !== undefined) this.output = change.output;
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#latest.want(this.draft);
      this.#keep();
    });
  }

  reset(): void {
    this.edit({ user: "", output: "" });
    this.files = [];
    this.answers = "text";
  }

  previous(): void {
    const draft = this.#history.previous(this.draft);
    if (draft === null) this.#console.announce("No earlier message");
    else this.edit(draft);
    this.back = this.#history.back;
  }

  next(): void {
    const draft = this.#history.next();
    if (draft !== null) this.edit(draft);
    this.back = this.#history.back;
  }

  get remembered(): number {
    return this.#history.length;
  }

  /** Takes files along with the next message, as far as there is room for them. */
  attach(files: Iterable<File>): void {
    const taken = [...this.files];
    const left: string[] = [];
    let room = ROOM - taken.reduce((sum, { size }) => sum + size, 0);
    for (const file of files) {
      if (file.size > room) left.push(file.name);
      else {
        taken.push(file);
        room -= file.size;
      }
    }
    this.files = taken;
    if (left.length > 0) this.#console.toast("danger", `Too large, and not attached: ${left.join(", ")}`, `The files of a message may be ${bytes(ROOM)} together: simulated platforms keep no more.`);
  }

  /** Whether sending through this channel reaches no platform. */
  dry({ armed, simulated }: Pick<ChannelCard, "armed" | "simulated">): boolean {
    return !armed || this.rehearses({ simulated });
  }

  /** Whether a message through this channel is to be a dry run, be it armed or not. */
  rehearses({ simulated }: Pick<ChannelCard, "simulated">): boolean {
    return this.wish ?? !simulated;
  }

  /** Reads the text again for what comes of its actions, with these channels in dry run. Called after each change of what is armed. */
  rehearse(channels: readonly ChannelId[]): void {
    this.#dry = channels;
    this.#latest.want(this.draft);
  }

  /** Sends through a channel; the answer is the turn to watch. */
  async send({ channel, armed, simulated }: ChannelCard): Promise<TurnId | null> {
    if (this.sending) return null;
    this.sending = true;
    const agent_output = this.answers === "text" ? this.output : null;
    const dry_run = this.dry({ armed, simulated });
    const user_text = this.user;
    const files = await this.#read();
    const sent = files && (await this.#console.try("compose_send", { channel, user_text, agent_output, dry_run, ...(files.length > 0 && { files }) }));
    this.sending = false;
    if (!sent) return null;
    this.#history.add(this.draft);
    this.files = [];
    this.back = 0;
    return sent.turn;
  }

  /** What is in the files; `null` where one cannot be read, which is said. */
  async #read(): Promise<ComposeFile[] | null> {
    try {
      return await Promise.all(this.files.map(inBase64));
    } catch (thrown) {
      this.#console.toast("danger", HostFailure.from(thrown).message, "It may have been moved or deleted since. Remove it, or attach it again.");
      return null;
    }
  }

  close(): void {
    if (this.#frame !== 0) {
      cancelAnimationFrame(this.#frame);
      this.#keep();
    }
    this.#latest.close();
  }

  #keep(): void {
    if (this.fleeting) long.set(this.#console, this.draft);
    else long.delete(this.#console);
    store(this.draft);
  }
}

const isLong = ({ user, output }: Draft): boolean => user.length + output.length > LONGEST;

/** A file as a command carries it. */
function inBase64(file: File): Promise<ComposeFile> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    // An address of the form data:TYPE;base64,BYTES; of an empty file, without the comma's other side.
    reader.onload = () => resolve({ name: file.name, media_type: file.type, base64: String(reader.result).split(",")[1] ?? "" });
    reader.onerror = () => reject(new Error(`${file.name} cannot be read${reader.error === null ? "" : `: ${reader.error.message}`}`));
    reader.readAsDataURL(file);
  });
}

function stored(): Draft | null {
  try {
    const draft = JSON.parse(localStorage.getItem(KEY) ?? "null") as Partial<Draft> | null;
    return typeof draft?.user === "string" && typeof draft.output === "string" && draft.user.length + draft.output.length <= LONGEST ? { user: draft.user, output: draft.output } : null;
  } catch {
    // Not a draft of ours, or a forbidden shelf: the editors begin with the example.
    return null;
  }
}

/** Keeps a draft for the next start, which a long one would slow down: then there is none. */
function store(draft: Draft): void {
  try {
    if (isLong(draft)) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(draft));
  } catch {
    // Full or forbidden: it lasts as long as the view.
  }
}
