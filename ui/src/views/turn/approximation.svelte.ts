/** How the other channels would show a turn's answer: its raw text through `compose`, message by message. */
import type { ChannelId, ChannelPreview, TurnDetail } from "../../generated/wire";
import { HostFailure } from "../../host/host";
import type { Console } from "../../state/console.svelte";
import { Latest } from "../../store/latest";

interface Wish {
  key: string;
  user: string;
  outputs: readonly string[];
}

export class Approximation {
  readonly #latest: Latest<Wish, ChannelPreview[][]>;
  #key = "";
  #previews = $state.raw<ChannelPreview[][]>([]);
  failure = $state.raw<HostFailure | null>(null);

  constructor(console: Console) {
    this.#latest = new Latest(
      ({ user, outputs }) =>
        Promise.all(
          outputs.map(async (agent_output) => (await console.host.call("compose", { user_text: user, agent_output, channels: [] })).previews),
        ),
      (previews, { key }) => {
        if (key !== this.#key) return;
        this.#previews = previews;
        this.failure = null;
      },
      (reason) => (this.failure = HostFailure.from(reason)),
    );
  }

  /** Wishes for the previews of a turn; of one that runs, of what has come so far. */
  want(detail: TurnDetail): void {
    const outputs = detail.messages.map((m) => m.raw);
    const key = `${detail.summary.turn}:${outputs.map((o) => o.length).join(",")}`;
    if (key === this.#key) return;
    if (!key.startsWith(this.#key.split(":")[0] + ":")) this.#previews = [];
    this.#key = key;
    this.#latest.want({ key, user: detail.inbound.text, outputs });
  }

  /** The preview of a channel: the user's message once, then what every assistant message adds. */
  preview(channel: ChannelId | null): ChannelPreview | null {
    const parts = this.#previews.map((previews) => previews.find((p) => p.channel === channel)).filter((p) => p !== undefined);
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
  }
}
