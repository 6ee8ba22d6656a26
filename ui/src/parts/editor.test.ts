import { EditorView } from "@codemirror/view";
import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it } from "vitest";
import { byId, layOut, stage } from "../test/stage";
import Editor from "./Editor.svelte";

beforeEach(layOut);
afterEach(cleanup);

async function tab(indents: boolean): Promise<{ prevented: boolean; text: string | undefined; about: string | null }> {
  await stage(Editor as never, { value: "a: 1", label: "Text", testid: "text", indents });
  const content = byId("text").querySelector(".cm-content") as HTMLElement;
  const event = new KeyboardEvent("keydown", { key: "Tab", bubbles: true, cancelable: true });
  content.dispatchEvent(event);
  const described = document.getElementById(content.getAttribute("aria-describedby") ?? "none");
  return { prevented: event.defaultPrevented, text: EditorView.findFromDOM(byId("text"))?.state.doc.toString(), about: described?.textContent ?? null };
}

it("lets Tab go on", async () => {
  expect(await tab(false)).toEqual({ prevented: false, text: "a: 1", about: null });
});

it("takes Tab as an indent where a text lives by them, and says how to leave", async () => {
  expect(await tab(true)).toEqual({ prevented: true, text: "  a: 1", about: "Tab indents. Escape, then Tab, leaves the editor." });
});
