import { Channel, invoke, isTauri } from "@tauri-apps/api/core";
import { getCurrentWindow } from "@tauri-apps/api/window";
import type { Push, Topic } from "../generated/wire";
import { HostFailure, type Args, type CommandName, type Host, type Result, type Unsubscribe } from "./host";

export { isTauri };

/** The backend in the same process, behind the two calls of the shell: `rpc` and `subscribe`. */
export class TauriHost implements Host {
  async call<K extends CommandName>(name: K, args: Args<K>): Promise<Result<K>> {
    try {
      return await invoke<Result<K>>("rpc", { name, args });
    } catch (thrown) {
      throw HostFailure.from(thrown);
    }
  }

  subscribe(topic: Topic, onPush: (push: Push) => void): Unsubscribe {
    const channel = new Channel<Push>();
    let open = true;
    channel.onmessage = (push) => {
      if (open) onPush(push);
    };
    // The backend forgets a subscriber when its view is closed or its page is gone, so there is no third call.
    void invoke("subscribe", { topic, channel });
    return () => {
      open = false;
    };
  }

  ready(): void {
    // Refused where the shell shows the window itself; then there is nothing to do.
    getCurrentWindow().show().catch(() => undefined);
  }
}
