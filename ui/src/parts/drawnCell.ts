/** A cell of a row that is drawn without components: a node that shows the same again is not touched. */
import { pieces } from "../store/glyphs";
import { signNode } from "./sign";
import { textWidth } from "./textWidth";

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
  /** Whether its look has a square before the text. */
  readonly isTinted?: boolean;
  /** Shown instead of the text. */
  readonly badges?: readonly Badge[];
}

/**
 * The node of a cell, and what it shows. It has no style of its own, only classes: the engine keeps the computed style of
 * a set of classes and takes it again for the next row, and builds one with a `style` anew whenever a class changes. Of
 * 320 cells that is most of a frame, and the memory of each such style stays for a minute.
 */
export interface CellNode {
  readonly element: HTMLElement;
  shown: DrawnCell;
  /** Its text where that is all it holds. */
  plain: Text | null;
  /** The class that places it. */
  place: string;
  width: number;
  /** Px that its text takes at most, at this em. */
  needed: number;
  em: number;
  isCut: boolean;
  /** All its classes; none before it is drawn where it stands. */
  classes: string;
}

/** A cell that shows nothing yet. */
export function makeCell(): CellNode {
  const element = document.createElement("span");
  element.setAttribute("role", "gridcell");
  const plain = document.createTextNode("");
  element.append(plain);
  return { element, shown: { text: "", look: "" }, plain, place: "", width: 0, needed: 0, em: 0, isCut: false, classes: "" };
}

/**
 * Shows a cell in a node; `em` is that of its text, in px. It cuts its content off where that may not fit, or, once it is
 * another, where others of its column had to (`isCut`). Says whether it may not fit.
 */
export function drawCell(node: CellNode, cell: DrawnCell, em: number, isCut: boolean): boolean {
  const { shown } = node;
  // Most cells show what they showed.
  const isOther = cell.text !== shown.text || cell.look !== shown.look || em !== node.em || node.classes === "";
  const hasBadges = cell.badges !== undefined;
  if (!isOther && !hasBadges && shown.badges === undefined) return node.needed > node.width;
  node.shown = cell;
  drawContent(node, cell, shown);
  if (isOther) {
    node.needed = em * (textWidth(cell.text, isMono(cell)) + (cell.isTinted === true ? TINT : 0));
    node.em = em;
  }
  const isFull = node.plain === null ? cell.badges?.length !== 0 : node.needed > node.width;
  node.isCut = isFull || (isOther ? isCut : node.isCut);
  const classes = `${node.place} ${cell.look}${node.isCut ? " cut" : ""}`;
  if (classes !== node.classes) node.element.className = node.classes = classes;
  return isFull;
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
