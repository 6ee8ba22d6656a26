import { Channel, invoke, isTauri } from "@tauri-apps/api/core";
import { getCurrentWindow } from "@tauri-apps/api/window";
import type { Push, Topic } from "../generated/wire";
import { HostFailure, type Args, type CommandName, type FileDrag, type Host, type Result, type Unsubscribe } from "./host";

export { isTauri };

/** The backend in the same process, behind the two calls of the shell: `rpc` and `subscribe`. */
export class TauriHost implements Host {
  readonly #workspace: number;

  constructor(workspace = 0) {
    this.#workspace = workspace;
  }

  async call<K extends CommandName>(name: K, args: Args<K>): Promise<Result<K>> {
    try {
      return await invoke<Result<K>>("rpc", { workspace: this.#workspace, name, args });
    } catch (thrown) {
      throw HostFailure.from(thrown);
    }
  }

  subscribe(topic: Topic, onPush: (push: Push) => void): Unsubscribe {
    const channel = new Channel<string>();
    let open = true;
    channel.onmessage = (text) => {
      if (open) onPush(JSON.parse(text) as Push);
    };
    // The backend forgets a subscriber when its view is closed or its page is gone, so there is no third call.
    void invoke("subscribe", { workspace: this.#workspace, topic, channel });
    return () => {
      open = false;
    };
  }

  ready(): void {
    // Refused where the shell shows the window itself; then there is nothing to do.
    getCurrentWindow().show().catch(() => undefined);
  }

  workspace(number: number): Host {
    return new TauriHost(number);
  }

  chooseFiles(): Promise<readonly string[]> {
    return invoke<readonly string[]>("choose_files");
  }

  onDrag(hear: (drag: FileDrag) => void): Unsubscribe {
    const channel = new Channel<FileDrag>();
    let open = true;
    channel.onmessage = (drag) => {
      if (open) hear(drag);
    };
    void invoke("hear_drags", { channel });
    return () => {
      open = false;
    };
  }
}
