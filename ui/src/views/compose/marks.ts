/**
 * What the scanner decided and the linter found, drawn into the editor. Everything arrives in one transaction; until
 * the next answer it moves along with the text.
 */
import { Prec, StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, hoverTooltip, keymap, showTooltip, ViewPlugin, type DecorationSet, type Tooltip } from "@codemirror/view";
import type { Mark, Squiggle } from "./model/decorations";

interface Marks {
  marks: readonly Mark[];
  squiggles: readonly Squiggle[];
}

const drawn = StateEffect.define<Marks>();

/** Draws an answer; one transaction, whatever it holds. */
export function draw(view: EditorView, marks: Marks): void {
  view.dispatch({ effects: drawn.of(marks) });
}

function decorate({ marks, squiggles }: Marks): DecorationSet {
  const ranges = [
    ...marks.map((m) => Decoration.mark({ class: m.look, attributes: { title: m.title } }).range(m.from, m.to)),
    ...squiggles.map((s) => Decoration.mark({ class: `cm-${s.severity}`, squiggle: s }).range(s.from, s.to)),
  ];
  return Decoration.set(ranges, true);
}

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, transaction) {
    const effect = transaction.effects.find((e) => e.is(drawn));
    return effect === undefined ? set.map(transaction.changes) : decorate(effect.value as Marks);
  },
  provide: (set) => EditorView.decorations.from(set),
});

/** The findings where they are now, in order. */
export function squigglesIn(state: EditorState): Squiggle[] {
  const found: Squiggle[] = [];
  state.field(field, false)?.between(0, state.doc.length, (from, to, decoration) => {
    const squiggle = (decoration.spec as { squiggle?: Squiggle }).squiggle;
    // An edit moves a finding; its fix moves with it.
    if (squiggle !== undefined) found.push({ ...squiggle, from, to, fix: squiggle.fix && shifted(squiggle.fix, from - squiggle.from) });
  });
  return found;
}

function shifted(fix: NonNullable<Squiggle["fix"]>, by: number): NonNullable<Squiggle["fix"]> {
  return { ...fix, from: fix.from + by, to: fix.to + by };
}

/** Replaces what a finding's fix names. */
export function applyFix(view: EditorView, { fix }: Squiggle): void {
  if (fix === null || fix.to > view.state.doc.length) return;
  view.dispatch({ changes: { from: fix.from, to: fix.to, insert: fix.insert }, selection: { anchor: fix.from + fix.insert.length }, userEvent: "input.fix", scrollIntoView: true });
}

/** Mends everything at once. Of fixes that overlap the first counts; what it leaves is found again. */
export function applyAll(view: EditorView): number {
  const changes: { from: number; to: number; insert: string }[] = [];
  for (const { fix } of squigglesIn(view.state).sort((a, b) => (a.fix?.from ?? 0) - (b.fix?.from ?? 0))) {
    const last = changes[changes.length - 1];
    if (fix === null || fix.to > view.state.doc.length || (last !== undefined && (fix.from < last.to || (fix.from === last.from && fix.to === last.to)))) continue;
    changes.push({ from: fix.from, to: fix.to, insert: fix.insert });
  }
  if (changes.length > 0) view.dispatch({ changes, userEvent: "input.fix" });
  return changes.length;
}

/** A sentence of the backend's; what stands between backticks is code. */
function prose(text: string): Node[] {
  return text.split(/`([^`]+)`/).map((part, index) => {
    if (index % 2 === 0) return document.createTextNode(part);
    const code = document.createElement("code");
    code.textContent = part;
    return code;
  });
}

function explanationOf(squiggle: Squiggle, fixKey: () => string): Tooltip {
  return {
    pos: squiggle.from,
    end: squiggle.to,
    create(view) {
      const dom = document.createElement("div");
      dom.className = "cm-explanation";
      dom.dataset["testid"] = "explanation";
      const head = dom.appendChild(document.createElement("p"));
      const code = head.appendChild(document.createElement("code"));
      code.textContent = squiggle.code;
      code.className = squiggle.severity;
      head.append(" ", ...prose(squiggle.message));
      const more = dom.appendChild(document.createElement("p"));
      more.className = "more";
      more.append(...prose(squiggle.explanation));
      if (squiggle.fix !== null) {
        const button = dom.appendChild(document.createElement("button"));
        button.type = "button";
        button.append(...prose(squiggle.fix.title));
        const key = button.appendChild(document.createElement("kbd"));
        key.textContent = fixKey();
        button.onclick = () => applyFix(view, squiggle);
      }
      return { dom };
    },
  };
}

const hovering = (fixKey: () => string): Extension =>
  hoverTooltip((view, at) => {
    const squiggle = squigglesIn(view.state).find((s) => s.from <= at && at <= s.to);
    return squiggle === undefined ? null : explanationOf(squiggle, fixKey);
  });

const explained = StateEffect.define<Squiggle | null>();

/** The finding that was gone to by key is explained where it stands, until the cursor or the text moves on. */
const explaining = (fixKey: () => string): Extension => {
  const shown = StateField.define<Tooltip | null>({
    create: () => null,
    update(tooltip, transaction) {
      const effect = transaction.effects.find((e) => e.is(explained));
      if (effect !== undefined) return effect.value === null ? null : explanationOf(effect.value as Squiggle, fixKey);
      return transaction.docChanged || transaction.selection !== undefined ? null : tooltip;
    },
    provide: (tooltip) => showTooltip.from(tooltip),
  });
  const close = keymap.of([
    { key: "Escape", run: (view) => view.state.field(shown) !== null && (view.dispatch({ effects: explained.of(null) }), true) },
  ]);
  return [shown, Prec.high(close), EditorView.domEventHandlers({ blur: (_, view) => void setTimeout(() => view.hasFocus || view.dispatch({ effects: explained.of(null) }), 150) })];
};

/** Goes to the next or previous finding, all around, and explains it there. `null` when there is none. */
export function goToFinding(view: EditorView, way: 1 | -1): Squiggle | null {
  const found = squigglesIn(view.state);
  const { from } = view.state.selection.main;
  const next = way === 1 ? (found.find((s) => s.from > from) ?? found[0]) : (found.findLast((s) => s.from < from) ?? found[found.length - 1]);
  if (next === undefined) return null;
  view.focus();
  view.dispatch({ selection: { anchor: next.from }, effects: explained.of(next), scrollIntoView: true });
  return next;
}

const looks = EditorView.theme({
  ".cm-stripped": { color: "var(--stripped)", backgroundColor: "var(--stripped-fill)", borderRadius: "2px" },
  ".cm-dropped": { color: "var(--text-3)", backgroundColor: "var(--dropped-fill)", textDecoration: "line-through" },
  ".cm-dropped-blank": { backgroundColor: "var(--dropped-fill)", boxShadow: "inset 0 -1px 0 var(--dropped)" },
  ".cm-masked": { color: "var(--masked)", backgroundColor: "var(--masked-fill)", borderRadius: "2px", boxShadow: "inset 0 0 0 1px var(--masked-line)" },
  ".cm-error": { textDecoration: "underline", textDecorationStyle: "wavy", textDecorationColor: "var(--danger)", textUnderlineOffset: "3px", textDecorationSkipInk: "none" },
  ".cm-warning": { textDecoration: "underline", textDecorationStyle: "wavy", textDecorationColor: "var(--warn)", textUnderlineOffset: "3px", textDecorationSkipInk: "none" },
  ".cm-note": { textDecoration: "underline", textDecorationStyle: "dotted", textDecorationColor: "var(--info)", textUnderlineOffset: "3px", textDecorationSkipInk: "none" },
  ".cm-tooltip": { border: "none", backgroundColor: "transparent" },
  ".cm-explanation": {
    maxWidth: "42rem", padding: "0.9rem 1.1rem", borderRadius: "var(--radius)", border: "1px solid var(--border-strong)", backgroundColor: "var(--surface-3)",
    font: "1.2rem/1.5 var(--font)", boxShadow: "0 0.4rem 1.6rem var(--shadow)",
  },
  ".cm-explanation .more": { color: "var(--text-2)", marginTop: "0.3rem" },
  ".cm-explanation code": { padding: "0 0.3rem", borderRadius: "0.3rem", background: "color-mix(in srgb, currentColor 9%, transparent)" },
  ".cm-explanation kbd": { marginLeft: "0.8rem", color: "var(--text-3)", fontSize: "1.1rem" },
  ".cm-explanation code.error": { color: "var(--danger)", padding: "0", background: "none" },
  ".cm-explanation code.warning": { color: "var(--warn)", padding: "0", background: "none" },
  ".cm-explanation code.note": { color: "var(--info)", padding: "0", background: "none" },
  ".cm-explanation button": { marginTop: "0.6rem", padding: "0.2rem 0.8rem", borderRadius: "var(--radius)", border: "1px solid var(--border-strong)", backgroundColor: "var(--surface-1)" },
});

/** What an editor of agent output has more than others. */
export function marking(fixKey: () => string): Extension {
  return [field, looks, hovering(fixKey), explaining(fixKey)];
}

/** Hands out the editor's view once it stands. */
export function withView(take: (view: EditorView) => void): Extension {
  return ViewPlugin.define((view) => {
    take(view);
    return {};
  });
}

/** The actions of the window come before the editor's own keys: Ctrl+Enter sends here, it does not break the line. */
export function windowKeysFirst(handle: (event: KeyboardEvent) => void): Extension {
  return Prec.highest(
    EditorView.domEventHandlers({
      keydown(event) {
        if (!event.ctrlKey && !event.metaKey && !event.altKey) return false;
        handle(event);
        return event.defaultPrevented;
      },
    }),
  );
}
