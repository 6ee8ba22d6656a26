import { unmount } from "svelte";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import demo from "../../recordings/demo";
import { HostFailure, type Args, type CommandName, type Host, type Result } from "../host";
import { RecordedHost } from "../host/recorded";
import { byId, found, layOut } from "../test/stage";
import { start } from "./start";

/** A backend that answers when it is told to, or says why it never will. */
class SlowHost extends RecordedHost {
  readonly #runs: Promise<void>;
  shown = 0;

  constructor(runs: Promise<void>) {
    super({ ...demo, calls: [{ name: "turns", result: [] }, ...demo.calls] });
    this.#runs = runs;
  }

  override async call<K extends CommandName>(name: K, args: Args<K>): Promise<Result<K>> {
    await this.#runs;
    return super.call(name, args);
  }

  override ready(): void {
    this.shown += 1;
  }
}

/** A promise that is settled from outside. */
function pending(): { promise: Promise<void>; resolve: () => void; reject: (reason: unknown) => void } {
  let settle: Omit<ReturnType<typeof pending>, "promise"> | undefined;
  const promise = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
  if (settle === undefined) throw new Error("a promise begins at once");
  return { promise, ...settle };
}

const isShown = (id: string): boolean => document.querySelector(`[data-testid="${id}"]`) !== null;
let target: HTMLElement;
let page: Awaited<ReturnType<typeof start>>;

beforeEach(() => {
  layOut();
  target = document.body.appendChild(document.createElement("div"));
});
afterEach(async () => {
  await unmount(page);
  target.remove();
});

it("says at once what there is where the backend is quick", async () => {
  const host = new SlowHost(Promise.resolve());
  page = await start(target, () => Promise.resolve<Host>(host));
  await found("rate");
  expect(isShown("starting")).toBe(false);
});

it("says that it starts where that takes its time, and gives way to the console", async () => {
  const { promise, resolve } = pending();
  const host = new SlowHost(promise);
  const done = start(target, () => Promise.resolve<Host>(host));
  expect((await found("starting")).textContent).toMatch(/Foldback is starting.*opens the journal and connects the channels/s);
  expect(byId("starting").getAttribute("role")).toBe("status");
  expect(host.shown).toBe(1);
  expect(isShown("rate")).toBe(false);
  resolve();
  page = await done;
  await found("rate");
  expect(isShown("starting")).toBe(false);
});

it("says why there is no backend and what to do, in place of the page that announced it", async () => {
  const { promise, reject } = pending();
  const host = new SlowHost(promise);
  const done = start(target, () => Promise.resolve<Host>(host));
  await found("starting");
  reject(new HostFailure({ code: "bad_configuration", message: "foldback.toml:3: unknown field `alow_from`.", hint: "`foldback doctor` checks it." }));
  page = await done;
  expect(isShown("starting")).toBe(false);
  const words = byId("no-backend");
  expect(words.getAttribute("role")).toBe("alert");
  expect(words.dataset["code"]).toBe("bad_configuration");
  expect(words.textContent).toMatch(/Foldback cannot start.*foldback\.toml:3: unknown field alow_from\..*foldback doctor checks it/s);
  expect([...words.querySelectorAll("code")].map((code) => code.textContent)).toEqual(["alow_from", "foldback doctor"]);
});

it("shows a mistake in a file line by line, and what to do where nobody says it", async () => {
  const message = "The script cannot be read:\n  |\n3 | delay = `x`\n  |         ^.";
  page = await start(target, () => Promise.reject<Host>(new HostFailure({ code: "cannot_start", message, hint: null })));
  expect(byId("no-backend").querySelector("pre")?.textContent).toBe("  |\n3 | delay = `x`\n  |         ^.");
  expect(byId("no-backend").querySelector("p")?.textContent).toBe("The script cannot be read:");
  expect(byId("no-backend").textContent).toContain("start Foldback once more");
});

it("says so where the page is opened without a backend, and the window is shown all the same", async () => {
  const failure = new HostFailure({ code: "no_backend", message: "This page has no backend of its own.", hint: null });
  page = await start(target, () => Promise.reject<Host>(failure));
  await vi.waitFor(() => expect(byId("no-backend").textContent).toContain("no backend of its own"));
  expect(isShown("starting")).toBe(false);
  expect(isShown("rate")).toBe(false);
});
