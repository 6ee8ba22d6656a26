import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hideBrowser } from "./browser";

let show: () => void;

beforeEach(() => {
  document.body.innerHTML = `
    <nav data-pane><button id="rail">Live</button></nav>
    <section data-pane><p id="row" tabindex="0">held 12 bytes</p><input id="box" type="checkbox"></section>
    <input id="filter" value="stage:hold"><div id="editor" contenteditable="true"><b id="word">name:</b></div>
    <div role="dialog"><p id="question" tabindex="0">Reset?</p></div>`;
  getSelection()?.removeAllRanges();
  show = hideBrowser(document);
});
afterEach(() => show());

function send(id: string | null, event: Event): Event {
  (id === null ? document.body : document.getElementById(id))?.dispatchEvent(event);
  return event;
}
const menu = (id: string | null): Event => send(id, new MouseEvent("contextmenu", { bubbles: true, cancelable: true }));
const selectAll = (id: string | null): Event => send(id, new KeyboardEvent("keydown", { key: "a", ctrlKey: true, bubbles: true, cancelable: true }));
const selected = (): string => (getSelection()?.toString() ?? "").replace(/\s+/g, " ").trim();

describe("the other mouse button", () => {
  it("opens no menu of a browser, except in a text, to cut, copy and paste", () => {
    for (const id of [null, "row", "rail", "box", "question"]) expect(menu(id).defaultPrevented, String(id)).toBe(true);
    for (const id of ["filter", "editor", "word"]) expect(menu(id).defaultPrevented, id).toBe(false);
  });
});

describe("Ctrl+A", () => {
  it("selects what is in the pane or the dialog that has the focus", () => {
    expect(selectAll("row").defaultPrevented).toBe(true);
    expect(selected()).toBe("held 12 bytes");
    selectAll("question");
    expect(selected()).toBe("Reset?");
    selectAll("box");
    expect(selected()).toBe("held 12 bytes");
  });

  it("never selects the page", () => {
    expect(selectAll(null).defaultPrevented).toBe(true);
    expect(selected()).toBe("");
  });

  it("is left to a text that is written in", () => {
    for (const id of ["filter", "word"]) expect(selectAll(id).defaultPrevented, id).toBe(false);
  });
});
