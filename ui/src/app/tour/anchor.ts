/** Where things on the screen are, told anew whenever the page may have moved them. */
import type { Box } from "../tip";

/** Px between what a callout is about and the ring around it. */
const RING = 5;

/** What a callout is about, and what it keeps clear of. */
export interface Anchorage {
  readonly about: Box;
  readonly clear: readonly Box[];
}

const boxOf = (element: Element): Box => {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { left, top, width, height };
};

/** The smallest box around all of these, with room for the ring. */
function around(boxes: readonly Box[]): Box {
  const left = Math.min(...boxes.map((box) => box.left)) - RING;
  const top = Math.min(...boxes.map((box) => box.top)) - RING;
  const right = Math.max(...boxes.map((box) => box.left + box.width)) + RING;
  const bottom = Math.max(...boxes.map((box) => box.top + box.height)) + RING;
  return { left, top, width: right - left, height: bottom - top };
}

/**
 * Tells where the elements of a selector are together, at once and after every change of the page; `null` while there is
 * none. The page is measured at most once a frame, until the answer is called.
 */
export function followAnchor(anchor: string, keptClear: string, tell: (anchorage: Anchorage | null) => void): () => void {
  let frame = 0;
  let told: string | undefined;
  const observed = new Set<Element>();
  const measure = (): void => {
    frame = 0;
    const about = [...document.querySelectorAll(anchor)];
    // Told of once: an element that is observed again reports its size again.
    for (const element of about)
      if (!observed.has(element)) {
        observed.add(element);
        sizes.observe(element);
      }
    const others = [...document.querySelectorAll(keptClear)].filter((other) => !about.includes(other));
    const found = about.length === 0 ? null : { about: around(about.map(boxOf)), clear: others.map(boxOf) };
    const key = JSON.stringify(found);
    if (key === told) return;
    told = key;
    tell(found);
  };
  const later = (): void => {
    if (frame === 0) frame = requestAnimationFrame(measure);
  };
  const mutations = new MutationObserver(later);
  mutations.observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true, attributeFilter: ["style", "class", "data-fate"] });
  const sizes = new ResizeObserver(later);
  sizes.observe(document.body);
  document.addEventListener("scroll", later, { capture: true, passive: true });
  window.addEventListener("resize", later);
  measure();
  return () => {
    cancelAnimationFrame(frame);
    mutations.disconnect();
    sizes.disconnect();
    document.removeEventListener("scroll", later, { capture: true });
    window.removeEventListener("resize", later);
  };
}
