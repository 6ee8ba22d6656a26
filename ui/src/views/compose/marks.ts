/**
 * What the scanner decided and the linter found, drawn into the editor. Everything arrives in one transaction; until
 * the next answer it moves along with the text.
 */
import { Prec, StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, hoverTooltip, ViewPlugin, type DecorationSet } from "@codemirror/view";
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

const explanation = (fixKey: () => string): Extension =>
  hoverTooltip((view, at) => {
    const squiggle = squigglesIn(view.state).find((s) => s.from <= at && at <= s.to);
    if (squiggle === undefined) return null;
    return {
      pos: squiggle.from,
      end: squiggle.to,
      create() {
        const dom = document.createElement("div");
        dom.className = "cm-explanation";
        const head = dom.appendChild(document.createElement("p"));
        const code = head.appendChild(document.createElement("code"));
        code.textContent = squiggle.code;
        code.className = squiggle.severity;
        head.append(` ${squiggle.message}`);
        const more = dom.appendChild(document.createElement("p"));
        more.className = "more";
        more.textContent = squiggle.explanation;
        if (squiggle.fix !== null) {
          const button = dom.appendChild(document.createElement("button"));
          button.type = "button";
          button.textContent = `${squiggle.fix.title}  ${fixKey()}`;
          button.onclick = () => applyFix(view, squiggle);
        }
        return { dom };
      },
    };
  });

const looks = EditorView.theme({
  ".cm-stripped": { color: "var(--stripped)", backgroundColor: "var(--stripped-fill)", borderRadius: "2px" },
  ".cm-dropped": { color: "var(--text-3)", backgroundColor: "var(--dropped-fill)", textDecoration: "line-through" },
  ".cm-dropped-blank": { backgroundColor: "var(--dropped-fill)", boxShadow: "inset 0 -1px 0 var(--dropped)" },
  ".cm-error": { textDecoration: "underline", textDecorationStyle: "wavy", textDecorationColor: "var(--danger)", textUnderlineOffset: "3px", textDecorationSkipInk: "none" },
  ".cm-warning": { textDecoration: "underline", textDecorationStyle: "wavy", textDecorationColor: "var(--warn)", textUnderlineOffset: "3px", textDecorationSkipInk: "none" },
  ".cm-tooltip": { border: "none", backgroundColor: "transparent" },
  ".cm-explanation": {
    maxWidth: "42rem", padding: "0.9rem 1.1rem", borderRadius: "var(--radius)", border: "1px solid var(--border-strong)", backgroundColor: "var(--surface-3)",
    font: "1.2rem/1.5 var(--font)", boxShadow: "0 0.4rem 1.6rem var(--shadow)",
  },
  ".cm-explanation .more": { color: "var(--text-2)", marginTop: "0.3rem" },
  ".cm-explanation code.error": { color: "var(--danger)" },
  ".cm-explanation code.warning": { color: "var(--warn)" },
  ".cm-explanation button": { marginTop: "0.6rem", padding: "0.2rem 0.8rem", borderRadius: "var(--radius)", border: "1px solid var(--border-strong)", backgroundColor: "var(--surface-1)" },
});

/** What an editor of agent output has more than others. */
export function marking(fixKey: () => string): Extension {
  return [field, looks, explanation(fixKey)];
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
