import { HostFailure, type Host } from "./host";
import type { Recording } from "./recorded";
import { isTauri, TauriHost } from "./tauri";

export * from "./host";

/** The host of this page: the shell, or, while developing in a browser, a recording named in the address. */
export async function findHost(): Promise<Host> {
  if (isTauri()) return new TauriHost();
  if (import.meta.env.DEV) {
    const { RecordedHost } = await import("./recorded");
    // What the real backend said during the demonstration; `?recording=` names one made by hand instead.
    const name = new URLSearchParams(location.search).get("recording");
    if (name === null) return new RecordedHost(JSON.parse((await import("./recorded/demo.json?raw")).default) as Recording);
    const { default: recording } = (await import(`../../recordings/${name}.ts`)) as { default: Recording };
    return new RecordedHost(recording);
  }
  throw new HostFailure({
    code: "no_backend",
    message: "This page is Foldback's window and has no backend of its own.",
    hint: "Start the app with `make run`.",
  });
}
