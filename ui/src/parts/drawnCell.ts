/** A cell of a row that is drawn without components: a node that shows the same again is not touched. */
import { isolated, pieces } from "../store/glyphs";
import { signNode } from "./sign";
import { fitText } from "./textWidth";

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
  /** What a pointer that rests on it is told. */
  readonly title?: string;
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
  em: number;
  /** Whether the page cuts its content off: it is a layer of its own then. */
  isCut: boolean;
  /** Its title, or the whole text where that ends early; empty for none. */
  title: string;
  /** All its classes; none before it is drawn where it stands. */
  classes: string;
}

/** A cell that shows nothing yet. */
export function makeCell(): CellNode {
  const element = document.createElement("span");
  element.setAttribute("role", "gridcell");
  const plain = document.createTextNode("");
  element.append(plain);
  return { element, shown: { text: "", look: "" }, plain, place: "", width: 0, em: 0, isCut: false, title: "", classes: "" };
}

/** Shows a cell in a node, as much of it as fits; `em` is that of its text, in px. */
export function drawCell(node: CellNode, cell: DrawnCell, em: number): void {
  const { element, shown } = node;
  const isAnew = em !== node.em || node.classes === "";
  // Most cells show what they showed.
  if (!isAnew && isSameCell(cell, shown)) return;
  node.shown = cell;
  node.em = em;
  node.isCut = drawContent(node, cell, shown, isAnew);
  // Whoever rests on a text that ends early reads all of it; a title cannot draw marks, nor should it obey what nobody sees.
  const title = cell.title ?? (isWhole(node, cell) ? "" : isolated(cell.text));
  if (title !== node.title) {
    if (title === "") element.removeAttribute("title");
    else element.title = title;
    node.title = title;
  }
  const classes = `${node.place} ${cell.look}${node.isCut ? " cut" : ""}`;
  if (classes !== node.classes) element.className = node.classes = classes;
}

/** True where all of its text is there, and the page cuts nothing off. */
const isWhole = (node: CellNode, cell: DrawnCell): boolean => cell.badges !== undefined || (!node.isCut && node.plain?.data === cell.text);

const isSameCell = (one: DrawnCell, other: DrawnCell): boolean =>
  one.text === other.text && one.look === other.look && one.title === other.title && one.marked === other.marked &&
  (one.badges === undefined ? other.badges === undefined : other.badges !== undefined && isSame(one.badges, other.badges));

/** Em that the square before a text takes. */
const TINT = 1.2;
const isMono = ({ look }: DrawnCell): boolean => look.startsWith("mono");

/** Draws what a cell holds; true where the page has to cut it off. */
function drawContent(node: CellNode, cell: DrawnCell, shown: DrawnCell, isAnew: boolean): boolean {
  const { element } = node;
  if (cell.badges !== undefined) {
    if (node.plain !== null || !isSame(cell.badges, shown.badges)) drawBadges(node, cell.badges);
    return cell.badges.length > 0;
  }
  const parts = cell.marked === true ? pieces(cell.text) : [];
  if (parts.some(({ control }) => control !== null)) {
    const isThere = !isAnew && node.plain === null && shown.marked === true && shown.text === cell.text;
    node.plain = null;
    if (!isThere) element.replaceChildren(...parts.map(({ text, control }) => (control === null ? text : signNode(control))));
    return true;
  }
  const room = node.width - (cell.isTinted === true ? TINT * node.em : 0);
  const fitting = fitText(cell.text, isMono(cell), node.em, room);
  drawText(node, fitting ?? cell.text);
  return fitting === null;
}

function drawText(node: CellNode, text: string): void {
  if (node.plain === null) {
    node.plain = document.createTextNode(text);
    node.element.replaceChildren(node.plain);
  } else if (node.plain.data !== text) {
    node.plain.data = text;
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
