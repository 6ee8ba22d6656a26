/**
 * How another channel would show a turn's answer at a moment: the raw text of which the scanner had decided by then,
 * through `compose`, message by message.
 */
import { untrack } from "svelte";
import type { ChannelId, ChannelPreview, Moment, TurnDetail } from "../../generated/wire";
import { HostFailure } from "../../host/host";
import type { Console } from "../../state/console.svelte";
import { Latest } from "../../store/latest";
import { ByteText } from "../../store/text";

interface Wish {
  channel: ChannelId;
  turn: number;
  user: string;
  outputs: readonly string[];
  atMs: number;
}

/** Previews kept: most moments of a turn differ in their last message only. */
const MOST = 64;

/** The raw text of which had been decided by a moment, message by message: what is held is not shown anywhere yet. */
export function decidedOutputs(detail: TurnDetail, moment: Moment): string[] {
  return moment.messages.flatMap(({ message, ranges, released, ended }) => {
    const raw = detail.messages.find((m) => m.message === message)?.raw ?? "";
    if (ended) return [raw];
    // An answer without any text or directive would be told as one that is empty.
    const says = released.trim() !== "" || moment.directives.some((d) => d.message === message);
    return says ? [new ByteText(raw).slice([0, ranges.at(-1)?.span[1] ?? 0])] : [];
  });
}

export class Approximation {
  readonly #console: Console;
  readonly #latest: Latest<Wish, ChannelPreview[]>;
  readonly #kept = new Map<string, ChannelPreview>();
  #shown = $state.raw<{ wish: Wish; parts: readonly ChannelPreview[] } | null>(null);
  failure = $state.raw<HostFailure | null>(null);

  /** Whether a moment was answered. */
  readonly shown = $derived(this.#shown !== null);
  /** The time of the moment that is shown, in milliseconds since the turn began. */
  readonly atMs = $derived(this.#shown?.wish.atMs ?? 0);

  constructor(console: Console) {
    this.#console = console;
    this.#latest = new Latest(
      (wish) => Promise.all(wish.outputs.map((output) => this.#ask(wish, output))),
      (parts, wish) => {
        this.#shown = { wish, parts };
        this.failure = null;
      },
      (reason) => (this.failure = HostFailure.from(reason)),
    );
  }

  /** Wishes for a channel's preview of a moment; of another channel or turn nothing is shown meanwhile. */
  want(channel: ChannelId, detail: TurnDetail, moment: Moment): void {
    const { turn } = detail.summary;
    const shown = untrack(() => this.#shown)?.wish;
    if (shown?.channel !== channel || shown.turn !== turn) this.#shown = null;
    this.#latest.want({ channel, turn, user: detail.inbound.text, outputs: decidedOutputs(detail, moment), atMs: moment.at_ms });
  }

  /** The preview of the channel: the user's message once, then what every assistant message adds. */
  readonly preview = $derived.by<ChannelPreview | null>(() => {
    const parts = this.#shown?.parts ?? [];
    const [first, ...rest] = parts;
    if (first === undefined) return null;
    // Every part was played on its own, so each has the user's message with its own reactions on it.
    const reactions = parts.flatMap((p) => p.bubbles.filter((b) => !b.from_bot).flatMap((b) => b.reactions));
    return {
      ...first,
      bubbles: [
        ...first.bubbles.map((b) => (b.from_bot ? b : { ...b, reactions })),
        ...rest.flatMap((p) => p.bubbles.filter((b) => b.from_bot)),
      ],
      notes: [...new Set(parts.flatMap((p) => p.notes))],
    };
  });

  async #ask({ channel, user }: Wish, agent_output: string): Promise<ChannelPreview> {
    const key = JSON.stringify([channel, user, agent_output]);
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const { previews } = await this.#console.host.call("compose", { user_text: user, agent_output, channels: [channel] });
    const preview = previews.find((p) => p.channel === channel);
    if (preview === undefined) throw new HostFailure({ code: "not_found", message: `There is no preview of ${channel}.`, hint: null });
    this.#kept.set(key, preview);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST) break;
      this.#kept.delete(oldest);
    }
    return preview;
  }
}
