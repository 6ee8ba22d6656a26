import { createKeybindingsHandler } from "tinykeys";
import { actionById, actions, type Action, type ActionId, type When } from "./actions";

export type Run = () => void;
export type Handlers = Partial<Record<ActionId, Run>>;

/** Keys chosen by the person; absent means the table's. */
export type Remapped = Readonly<Record<string, readonly string[]>>;

const EDITABLE = "input, textarea, select, [contenteditable='true'], [role='textbox']";
/** A dialog is answered before anything behind it can be done. */
const DIALOG = "[role='dialog'], [role='alertdialog']";
/** What lies over the view takes its letters: a menu searches by them. */
const OVERLAY = `${DIALOG}, [role='menu'], [role='listbox']`;
/** A list marks itself with this; most single letters act only inside one. */
export const LIST = "[data-list]";
/** The group of the actions that every list has. */
const OF_EVERY_LIST = "Lists";
/** From what has the focus outwards: where several actions have a key, the nearest that may act takes it. */
const NEAREST_FIRST: readonly When[] = ["list", "view", "page", "always", "window"];

/**
 * Who can do what at the moment, and which key does it. Of several actions on one key the nearest to the focus is asked:
 * `x` in a list of requests rejects one, and anywhere else in the turn's view it exports the turn. Whoever binds an action
 * last does it, so that a list in focus takes `j` from the list behind it and gives it back.
 */
export class ActionRegistry {
  readonly #bound = new Map<string, Run[]>();
  readonly #listeners = new Set<() => void>();
  #remapped: Remapped = {};
  #handle: EventListener = () => undefined;

  constructor() {
    this.#rebuild();
  }

  /** Takes over these actions until the answer is called. */
  bind(handlers: Handlers): () => void {
    const taken = Object.entries(handlers);
    for (const [id, run] of taken) this.#bound.set(id, [...(this.#bound.get(id) ?? []), run]);
    this.#changed();
    return () => {
      for (const [id, run] of taken) this.#bound.set(id, (this.#bound.get(id) ?? []).filter((r) => r !== run));
      this.#changed();
    };
  }

  /** Whether anybody can do this now. */
  can(id: string): boolean {
    return (this.#bound.get(id)?.length ?? 0) > 0;
  }

  /** Does it; false when nobody can. */
  run(id: string): boolean {
    const run = this.#bound.get(id)?.at(-1);
    run?.();
    return run !== undefined;
  }

  keys(id: string): readonly string[] {
    return this.#remapped[id] ?? actionById.get(id)?.keys ?? [];
  }

  remap(remapped: Remapped): void {
    this.#remapped = remapped;
    this.#rebuild();
    this.#changed();
  }

  /**
   * The other action that a key would belong to, where the focus does not tell which of the two is meant. A list and the
   * view around it may share a key: the list has it while it has the focus, and the view has it everywhere else.
   */
  conflict(id: string, key: string): Action | undefined {
    const mine = actionById.get(id);
    return actions.find((other) => other.id !== id && this.keys(other.id).includes(key) && (mine === undefined || collide(mine, other)));
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** For the page's keydown. */
  handle(event: KeyboardEvent): void {
    this.#handle(event);
  }

  #rebuild(): void {
    const map: Record<string, (event: KeyboardEvent) => void> = {};
    const owners = new Map<string, string[]>();
    const nearestFirst = [...actions].sort((a, b) => NEAREST_FIRST.indexOf(a.when) - NEAREST_FIRST.indexOf(b.when));
    for (const { id } of nearestFirst)
      for (const key of this.keys(id)) for (const form of forms(key)) owners.set(form, [...(owners.get(form) ?? []), id]);
    for (const [key, ids] of owners) map[key] = (event) => this.#press(event, ids);
    this.#handle = createKeybindingsHandler(map);
  }

  /** Of all actions on this key, the nearest that may act here and that somebody can do. The ids are in this order. */
  #press(event: KeyboardEvent, ids: readonly string[]): void {
    if (event.defaultPrevented) return;
    const target = event.target instanceof Element ? event.target : null;
    const typing = target?.closest(EDITABLE) != null;
    const covered = target?.closest(OVERLAY) != null;
    const acts: Record<When, boolean> = {
      window: true,
      always: target?.closest(DIALOG) == null,
      page: !typing && !covered,
      view: !typing && !covered,
      list: !typing && target?.closest(LIST) != null,
    };
    const free = ids.find((id) => {
      const when = actionById.get(id)?.when;
      return when !== undefined && acts[when] && this.can(id);
    });
    if (free === undefined) return;
    // A button keeps its own Enter and Space; with a modifier they mean something else.
    const plain = (event.key === "Enter" || event.key === " ") && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (plain && target?.closest("button, a, summary, [role='switch']")) return;
    event.preventDefault();
    // A key that is held answers once: what comes next was not read yet.
    if (event.repeat && free.startsWith("permission.")) return;
    this.run(free);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Whether the focus cannot tell these two apart, so that one of them would never be asked where both may act. */
function collide(one: Action, other: Action): boolean {
  const apart = ({ when }: Action): boolean => when === "list" || when === "view";
  // An action of the page or the window acts in lists and views, too, and would be lost there.
  if (!apart(one) || !apart(other)) return true;
  // One list has the focus and one view is shown; but what every list has is in each of them, and in each view.
  if (one.group === other.group) return one.when === other.when;
  return one.group === OF_EVERY_LIST || other.group === OF_EVERY_LIST;
}

/**
 * How a key may arrive. Signs such as `?` and `{` need Shift on some keyboards and not on others, and tinykeys
 * compares modifiers exactly.
 */
function forms(key: string): string[] {
  const sign = key.at(-1) ?? "";
  const bare = key.length === 1 || key.at(-2) === "+";
  const isSign = bare && !/[\p{L}\p{N}]/u.test(sign);
  if (!isSign || key.includes("Shift+")) return [key];
  return [key, `${key.slice(0, -1)}Shift+${sign}`];
}

const mac = typeof navigator !== "undefined" && /Mac/.test(navigator.platform);
const names: Readonly<Record<string, string>> = {
  $mod: mac ? "⌘" : "Ctrl", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", Enter: "↵",
};

/** A key as it is printed: `Ctrl K`, `Shift E`, `?`. */
export function keyLabel(key: string): string {
  const parts = key.length > 1 ? key.split(/\+(?=.)/) : [key];
  return parts.map((part) => names[part] ?? (part.length === 1 && parts.length > 1 ? part.toUpperCase() : part)).join(" ");
}
