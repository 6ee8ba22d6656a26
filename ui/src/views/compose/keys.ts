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

/**
 * Keys and news of completion that begins while one types, and on Ctrl+Space: it ends where the cursor goes elsewhere, and on
 * Escape. `tell` is told whether it may offer something, and where the cursor stands.
 */
export function offering(tell: (may: boolean, head: number) => void, isOffered: () => boolean): Extension {
  const headOf = (view: EditorView): number => view.state.selection.main.head;
  return [
    Prec.highest(
      keymap.of([
        { key: "Ctrl-Space", run: (view) => (tell(true, headOf(view)), true) },
        { key: "Escape", run: (view) => isOffered() && (tell(false, headOf(view)), true) },
      ]),
    ),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged && !update.selectionSet) return;
      const typed = update.transactions.some((transaction) => transaction.isUserEvent("input") || transaction.isUserEvent("delete"));
      tell(typed && update.state.selection.main.empty, headOf(update.view));
    }),
    EditorView.domEventHandlers({ blur: (_, view) => tell(false, headOf(view)) }),
  ];
}
