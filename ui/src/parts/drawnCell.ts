/** A cell of a row that is drawn without components: a node that shows the same again is not touched. */
import { pieces } from "../store/glyphs";
import { signNode } from "./sign";
import { isMeasured, textWidth } from "./textWidth";

/** A word of a cell that has a look of its own. */
export interface Badge {
  readonly text: string;
  readonly look: string;
  readonly title: string;
}

/** What a cell shows. */
export interface DrawnCell {
  readonly text: string;
  /** Its classes. */
  readonly look: string;
  /** Whether invisible characters are drawn as marks. */
  readonly marked?: boolean;
  /** Colour of the square before it. */
  readonly tint?: string;
  /** Shown instead of the text. */
  readonly badges?: readonly Badge[];
}

/** The node of a cell, and what it shows. */
export interface CellNode {
  readonly element: HTMLElement;
  shown: DrawnCell;
  /** Its text where that is all it holds. */
  plain: Text | null;
  width: number;
  /** Px that its text takes at most, at this em. */
  needed: number;
  em: number;
  isCut: boolean;
}

/** A cell that shows nothing yet. */
export function makeCell(): CellNode {
  const element = document.createElement("span");
  element.setAttribute("role", "gridcell");
  const plain = document.createTextNode("");
  element.append(plain);
  return { element, shown: { text: "", look: "" }, plain, width: 0, needed: 0, em: 0, isCut: false };
}

/** Shows a cell in a node; `em` is that of its text, in px. */
export function drawCell(node: CellNode, cell: DrawnCell, em: number): void {
  const { element, shown } = node;
  node.shown = cell;
  drawContent(node, cell, shown);
  // Most cells show what they showed.
  if (cell.text !== shown.text || cell.look !== shown.look || cell.tint !== shown.tint || em !== node.em || !isMeasured()) {
    node.needed = em * (textWidth(cell.text, isMono(cell)) + (cell.tint === undefined ? 0 : TINT));
    node.em = em;
  }
  const isCut = node.plain === null ? cell.badges?.length !== 0 : node.needed > node.width;
  if (cell.look !== shown.look || isCut !== node.isCut) element.className = isCut ? `${cell.look} cut` : cell.look;
  node.isCut = isCut;
  if (cell.tint === shown.tint) return;
  if (cell.tint === undefined) element.style.removeProperty("--tint");
  else element.style.setProperty("--tint", cell.tint);
}

/** Em that the square before a text takes. */
const TINT = 1.2;
const isMono = ({ look }: DrawnCell): boolean => look.startsWith("mono");

function drawContent(node: CellNode, cell: DrawnCell, shown: DrawnCell): void {
  const { element } = node;
  if (cell.badges !== undefined) {
    if (node.plain !== null || !isSame(cell.badges, shown.badges)) drawBadges(node, cell.badges);
    return;
  }
  if (cell.text === shown.text && shown.badges === undefined && (node.plain !== null || cell.marked === true)) return;
  const parts = cell.marked === true ? pieces(cell.text) : [];
  if (parts.some(({ control }) => control !== null)) {
    node.plain = null;
    element.replaceChildren(...parts.map(({ text, control }) => (control === null ? text : signNode(control))));
  } else if (node.plain !== null) {
    node.plain.data = cell.text;
  } else {
    node.plain = document.createTextNode(cell.text);
    element.replaceChildren(node.plain);
  }
}

const isSame = (some: readonly Badge[], others: readonly Badge[] = []): boolean =>
  some.length === others.length && some.every(({ text, look }, at) => text === others[at]?.text && look === others[at]?.look);

function drawBadges(node: CellNode, badges: readonly Badge[]): void {
  node.plain = null;
  node.element.replaceChildren(
    ...badges.map(({ text, look, title }) => {
      const word = document.createElement("span");
      word.className = look;
      word.title = title;
      word.textContent = text;
      return word;
    }),
  );
}
