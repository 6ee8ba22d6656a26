/** Keeps the browser that the window is drawn in from showing through: its menu, and a selection of the whole page. */

/** What has a text of its own, and a menu of the platform's to cut, copy and paste it. */
const FIELD = "input:not([type='checkbox'], [type='radio'], [type='button'], [type='range'], [type='file']), textarea, [contenteditable='true'], [role='textbox']";
/** What a person takes for the whole where they press Ctrl+A. */
const PANE = "[role='dialog'], [role='alertdialog'], [data-pane]";

const elementOf = (target: EventTarget | null): Element | null => (target instanceof Element ? target : null);

/** Whether something is a text that is written in. */
export const isField = (target: EventTarget | null): boolean => elementOf(target)?.closest(FIELD) != null;

function selectAll(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (event.defaultPrevented || key.toLowerCase() !== "a" || !(ctrlKey || metaKey) || altKey || shiftKey || isField(event.target)) return;
  event.preventDefault();
  const pane = elementOf(event.target)?.closest(PANE);
  if (pane) pane.ownerDocument.getSelection()?.selectAllChildren(pane);
}

function closeMenu(event: Event): void {
  if (!isField(event.target)) event.preventDefault();
}

/** Takes over Ctrl+A and the context menu until the answer is called. */
export function hideBrowser(document: Document): () => void {
  document.addEventListener("keydown", selectAll);
  document.addEventListener("contextmenu", closeMenu);
  return () => {
    document.removeEventListener("keydown", selectAll);
    document.removeEventListener("contextmenu", closeMenu);
  };
}
