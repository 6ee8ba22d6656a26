/** The compose view on a stage, and its editors. */
import { EditorView } from "@codemirror/view";
import { byId, stage } from "../../../test/stage";
import { SampleHost } from "../../turn/test/host";
import ComposeView from "../ComposeView.svelte";

export function editor(id: string): EditorView {
  const view = EditorView.findFromDOM(byId(id));
  if (view === null) throw new Error(`no editor in ${id}`);
  return view;
}

export const write = (id: string, insert: string): void => {
  const view = editor(id);
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } });
};
export const all = (id: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(`[data-testid="${id}"]`)];

export async function open(host = new SampleHost()) {
  const window = await stage(ComposeView, undefined, undefined, host);
  return { ...window, host };
}
