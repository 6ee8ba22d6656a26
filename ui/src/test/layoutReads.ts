/** What makes the browser lay the page out at once: asking where something is, or scrolling it. */
const ASKED = ["clientHeight", "clientWidth", "clientTop", "clientLeft", "offsetHeight", "offsetWidth", "offsetTop", "offsetLeft", "scrollHeight", "scrollWidth", "scrollTop", "scrollLeft"];
const CALLED = ["getBoundingClientRect", "getClientRects", "scrollIntoView", "scrollTo", "scrollBy"] as const;

/** Counts every question to the layout from now on, by name, until `stop`. */
export function countLayout(): { asked: string[]; stop: () => void } {
  const asked: string[] = [];
  const undo: (() => void)[] = [];
  for (const name of ASKED) {
    for (const prototype of [HTMLElement.prototype, Element.prototype]) {
      const own = Object.getOwnPropertyDescriptor(prototype, name);
      if (own?.get === undefined) continue;
      const { get, set } = own;
      Object.defineProperty(prototype, name, {
        configurable: true,
        get(this: Element) { asked.push(name); return get.call(this) as unknown; },
        set(this: Element, value: unknown) { asked.push(`${name} =`); set?.call(this, value); },
      });
      undo.push(() => Object.defineProperty(prototype, name, own));
      break;
    }
  }
  for (const name of CALLED) {
    const own = Element.prototype[name] as ((...args: unknown[]) => unknown) | undefined;
    if (own === undefined) continue;
    Object.assign(Element.prototype, { [name](this: Element, ...args: unknown[]) { asked.push(name); return own.apply(this, args); } });
    undo.push(() => Object.assign(Element.prototype, { [name]: own }));
  }
  return { asked, stop: () => undo.splice(0).forEach((give) => give()) };
}
