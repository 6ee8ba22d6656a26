/** Panes say so themselves; the splitters mark their boxes with the same attribute, but nobody can focus those. */
const PANES = "[data-pane][tabindex]";

/** F6: from one pane to the next, in the order of the page. */
export function nextPane(step: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>(PANES)].filter((pane) => pane.offsetParent !== null);
  if (panes.length === 0) return;
  const at = panes.findLastIndex((pane) => pane.contains(document.activeElement));
  const next = panes[(at + step + panes.length) % panes.length] ?? panes[0];
  if (!next) return;
  // A pane with a list gives it the keyboard, so that its keys work at once.
  const inside = next.querySelector<HTMLElement>("[data-list] [tabindex='0'], [data-list][tabindex='0']");
  (inside ?? next).focus();
}
