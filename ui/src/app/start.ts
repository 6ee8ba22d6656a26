import { mount, unmount } from "svelte";
import { HostFailure, type Host } from "../host";
import App from "./App.svelte";
import NoBackend from "./NoBackend.svelte";
import Starting from "./Starting.svelte";

/** A start that takes longer than this says that it is under way. */
const SLOW_MS = 500;

type Page = ReturnType<typeof mount>;

/** Shows the console once the backend has answered; a backend that cannot start says why instead. Answers what is then shown. */
export async function start(target: HTMLElement, find: () => Promise<Host>): Promise<Page> {
  let host: Host | undefined;
  let starting: Page | undefined;
  const slow = setTimeout(() => {
    starting = mount(Starting, { target });
    host?.ready();
  }, SLOW_MS);
  const begin = async (): Promise<void> => {
    clearTimeout(slow);
    if (starting) await unmount(starting);
  };
  try {
    host = await find();
    await host.call("status", {});
    await begin();
    return mount(App, { target, props: { host } });
  } catch (thrown) {
    await begin();
    const page = mount(NoBackend, { target, props: { failure: HostFailure.from(thrown) } });
    host?.ready();
    return page;
  }
}
