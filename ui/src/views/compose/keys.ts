/** Keys and news of the editors. */
import { Prec, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";

/** Up at the very beginning calls back what was sent before, down at the very end what came after it. */
export function historyKeys(previous: () => void, next: () => void): Extension {
  const at = (view: EditorView, place: number): boolean => view.state.selection.main.empty && view.state.selection.main.head === place;
  return Prec.highest(
    keymap.of([
      { key: "ArrowUp", run: (view) => at(view, 0) && (previous(), true) },
      { key: "ArrowDown", run: (view) => at(view, view.state.doc.length) && (next(), true) },
    ]),
  );
}

/**
 * Tab writes out what is offered, and Up and Down choose another; where nothing is offered, they do what they do everywhere.
 */
export function completionKeys(take: () => boolean, move: (by: 1 | -1) => boolean): Extension {
  return Prec.highest(
    keymap.of([
      { key: "Tab", run: take },
      { key: "ArrowDown", run: () => move(1) },
      { key: "ArrowUp", run: () => move(-1) },
    ]),
  );
}

/** Tells where the cursor stands. */
export function cursorNews(tell: (head: number) => void): Extension {
  return EditorView.updateListener.of((update) => {
    if (update.selectionSet || update.docChanged) tell(update.state.selection.main.head);
  });
}
