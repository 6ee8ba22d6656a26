import { render } from "@testing-library/svelte";
import type { Component } from "svelte";
import { vi } from "vitest";
import demo from "../../recordings/demo";
import type { Args, CommandName, Result } from "../host/host";
import { RecordedHost, type Recording } from "../host/recorded";
import { Console } from "../state/console.svelte";
import Stage from "./Stage.svelte";

/** Everything is this big here: jsdom lays nothing out. */
export const SIZE = { width: 1200, height: 600 };

class Observer implements ResizeObserver {
  static readonly all = new Set<Observer>();
  readonly #callback: ResizeObserverCallback;
  readonly #targets = new Set<Element>();

  constructor(callback: ResizeObserverCallback) {
    this.#callback = callback;
    Observer.all.add(this);
  }
  observe(target: Element): void {
    this.#targets.add(target);
    queueMicrotask(() => this.#callback([{ target } as ResizeObserverEntry], this));
  }
  unobserve(target: Element): void {
    this.#targets.delete(target);
  }
  disconnect(): void {
    this.#targets.clear();
  }
  tell(): void {
    this.#callback([...this.#targets].map((target) => ({ target }) as ResizeObserverEntry), this);
  }
}

/** Makes everything this high, until the next `layOut`. */
export async function resize(height: number): Promise<void> {
  Object.defineProperty(HTMLElement.prototype, "clientHeight", { configurable: true, get: () => height });
  for (const observer of Observer.all) observer.tell();
  await settle();
}

// jsdom draws nothing, and would complain of each canvas.
HTMLCanvasElement.prototype.getContext = () => null;

/** Gives jsdom the little layout that virtual lists and splitters ask for. */
export function layOut(): void {
  globalThis.ResizeObserver = Observer;
  Object.defineProperty(HTMLElement.prototype, "clientHeight", { configurable: true, get: () => SIZE.height });
  Object.defineProperty(HTMLElement.prototype, "clientWidth", { configurable: true, get: () => SIZE.width });
  Object.defineProperty(HTMLElement.prototype, "offsetParent", { configurable: true, get: () => document.body });
  Range.prototype.getClientRects = () => ({ length: 0, item: () => null, [Symbol.iterator]: Array.prototype[Symbol.iterator] }) as unknown as DOMRectList;
  Element.prototype.scrollIntoView = () => undefined;
  HTMLMediaElement.prototype.pause = () => undefined;
  localStorage.clear();
  sessionStorage.clear();
  // A test that is not about the tour has a person who ended it.
  localStorage.setItem("foldback.prefs", JSON.stringify({ tour: "done" }));
}

/** A host that keeps back the answers to one command until the test lets the oldest of them go. */
export class SlowHost extends RecordedHost {
  readonly #slow: CommandName;
  readonly #kept: (() => void)[] = [];

  constructor(recording: Recording, slow: CommandName) {
    super(recording);
    this.#slow = slow;
  }

  override async call<K extends CommandName>(name: K, args: Args<K>): Promise<Result<K>> {
    const answer = super.call(name, args);
    if (name === this.#slow) await Promise.allSettled([answer, new Promise<void>((go) => this.#kept.push(go))]);
    return answer;
  }

  /** Lets the oldest answer go. */
  async answer(): Promise<void> {
    this.#kept.shift()?.();
    await settle();
  }
}

/** Lets promises, timers of zero length and frames pass. */
export async function settle(turns = 25): Promise<void> {
  for (let i = 0; i < turns; i += 1) await new Promise((resolve) => setTimeout(resolve));
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  await new Promise((resolve) => setTimeout(resolve));
}

/** Mounts a component in a window that plays a recording. */
export async function stage<P extends Record<string, unknown>>(
  component: Component<P>, props?: P, recording: Recording = demo, host: RecordedHost = new RecordedHost(recording),
): Promise<{ host: RecordedHost; console: Console; root: HTMLElement }> {
  const console = new Console(host);
  const { container } = render(Stage, { props: { console, component: component as Component<Record<string, unknown>>, props: props ?? {} } });
  await settle();
  return { host, console, root: container };
}

/** The arguments of every call of a command. */
export const calls = (host: RecordedHost, name: string): unknown[] => host.calls.filter((c) => c.name === name).map((c) => c.args);

export const byId = (id: string): HTMLElement => {
  const found = document.querySelector<HTMLElement>(`[data-testid="${id}"]`);
  if (!found) throw new Error(`There is no ${id} in the page.`);
  return found;
};

/** The same, once it is there: what loads a module takes as long as the machine likes. */
export const found = (id: string): Promise<HTMLElement> => vi.waitFor(() => byId(id), { timeout: 20_000, interval: 20 });

export async function press(target: Element, key: string, more: KeyboardEventInit = {}): Promise<void> {
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
  await settle();
}

export async function click(target: Element): Promise<void> {
  target.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  await settle();
}

export async function type(input: HTMLElement, text: string): Promise<void> {
  (input as HTMLInputElement).value = text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  await settle();
}
