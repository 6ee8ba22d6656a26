import { HostFailure, type Host } from "./host";
import type { Recording } from "./recorded";
import { isTauri, TauriHost } from "./tauri";

export * from "./host";

/** The host of this page: the shell, or, while developing in a browser, a recording named in the address. */
export async function findHost(): Promise<Host> {
  if (isTauri()) return new TauriHost();
  if (import.meta.env.DEV) {
    const { RecordedHost } = await import("./recorded");
    // What the real backend said, `?recording=agents` or during the demonstration; `?by-hand=` names one made by hand.
    const asked = new URLSearchParams(location.search);
    const byHand = asked.get("by-hand");
    if (byHand === null) {
      const { default: text } = (await import(`./recorded/${asked.get("recording") ?? "demo"}.json?raw`)) as { default: string };
      return new RecordedHost(JSON.parse(text) as Recording);
    }
    const { default: recording } = (await import(`../../recordings/${byHand}.ts`)) as { default: Recording };
    return new RecordedHost(recording);
  }
  throw new HostFailure({
    code: "no_backend",
    message: "This page is Foldback's window and has no backend of its own.",
    hint: "Start the app with `make run`.",
  });
}
