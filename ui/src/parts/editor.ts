import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import type { Extension } from "@codemirror/state";
import { Decoration, EditorView, highlightSpecialChars, keymap, lineNumbers, MatchDecorator, ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import { labelOf, MARKED_ALONE, nameOf } from "../store/glyphs";

/** What nobody would see, by name, as everywhere else in the window. */
const signs: Extension = highlightSpecialChars({
  addSpecialChars: MARKED_ALONE,
  render(code) {
    const character = String.fromCodePoint(code);
    const sign = document.createElement("span");
    sign.className = "cm-sign";
    sign.title = nameOf(character);
    sign.textContent = labelOf(character);
    return sign;
  },
});

const roles: Extension = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--surface-0)", color: "var(--text)", fontSize: "1.2rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", fontVariantLigatures: "none", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { padding: "0.8rem 0", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0 1.2rem" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection": { backgroundColor: "var(--selection)" },
  ".cm-gutters": { backgroundColor: "var(--surface-0)", color: "var(--text-3)", border: "none", paddingLeft: "0.4rem" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-placeholder": { color: "var(--text-3)" },
  ".cm-panels": { backgroundColor: "var(--surface-1)", color: "var(--text)" },
  ".cm-changedLine, .cm-insertedLine": { backgroundColor: "var(--ok-fill) !important" },
  ".cm-deletedChunk, .cm-deletedLine": { backgroundColor: "var(--danger-fill) !important" },
  ".cm-deletedChunk": { paddingLeft: "1.2rem !important" },
  ".cm-deletedChunk .cm-deletedLine": { padding: "0 !important" },
  "&.cm-merge-a .cm-changedLine": { backgroundColor: "var(--danger-fill) !important" },
  ".cm-changedText, .cm-insertedText": { background: "none !important", textDecoration: "none", boxShadow: "inset 0 -2px 0 var(--ok)" },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": { background: "none !important", boxShadow: "inset 0 -2px 0 var(--danger)" },
  ".cm-collapsedLines": { background: "var(--surface-2)", color: "var(--text-3)" },
  ".cm-yaml-key": { color: "var(--accent)" },
  ".cm-yaml-string": { color: "var(--shown)" },
  ".cm-yaml-comment": { color: "var(--text-3)", fontStyle: "italic" },
  ".cm-sign": { padding: "0 0.25em", fontSize: "0.72em", fontWeight: "600", color: "var(--text-3)", border: "1px solid var(--border-strong)", borderRadius: "0.25em", verticalAlign: "0.1em" },
});

/** How an editor looks: the roles of the page, nothing of its own. */
export const look: Extension = [roles, signs];

/** What every editor for writing has. Tab goes on to what comes next, as everywhere in the window. */
export const writing: Extension = [history(), keymap.of([...defaultKeymap, ...historyKeymap]), look];

/** Where a text lives by its indents: Tab indents; Escape then Tab leaves, as CodeMirror documents for keyboards. */
export const indenting: Extension = keymap.of([indentWithTab]);

const tokens = new MatchDecorator({
  // In this order: a quoted string may contain what looks like a comment or a key.
  regexp: /("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|((?<=^|\s)#.*$)|([\w.-]+(?=:(?:\s|$)))/g,
  decoration: ([, string, comment]) =>
    Decoration.mark({ class: string ? "cm-yaml-string" : comment ? "cm-yaml-comment" : "cm-yaml-key" }),
});

/**
 * Enough of YAML to read a fixture: keys, strings, comments. A parser would be three packages for three colours; the
 * backend reads the file and says what is wrong with it.
 */
export const yaml: Extension = [
  lineNumbers(),
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = tokens.createDeco(view);
      }
      update(update: ViewUpdate): void {
        this.decorations = tokens.updateDeco(update, this.decorations);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  ),
];
