/**
 * Rows that change with every frame, drawn without components.
 *
 * Following a journal at 10,000 events a second replaces every row of the screen in every frame, and at 50 moves all of
 * them by one. What a frame costs in WebKit is layers, not text: an element that is positioned, or cuts its text off, is
 * one, and each that moves is repainted by itself. So the rows stand still in a sheet, and the sheet moves:
 *
 *     sheet (transform: -24 px)     row 41 at 0      after one more event: row 41 becomes row 44 at 72,
 *                                   row 42 at 24     rows 42 and 43 are not touched,
 *                                   row 43 at 48     and the sheet moves to -48 px
 *
 * Invariants: a row that is still shown is not touched; a node that shows the same again is not touched; a cell is a
 * layer only where its text may not fit; rows stand in the page in the order in which they are read.
 */
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

/** Where a cell stands in its row, in px. */
export interface Place {
  readonly left: number;
  readonly width: number;
}

/** What a row shows; one cell alone is as wide as the row. */
export interface DrawnRow {
  readonly look: string;
  readonly cells: readonly DrawnCell[];
}

/** What is on the screen. */
export interface Drawing {
  /** Index of the first row drawn, and how many are. */
  readonly first: number;
  readonly count: number;
  /** Px that the first row is cut off by. */
  readonly shift: number;
  readonly rowHeight: number;
  /** Px of an em of the text. */
  readonly em: number;
  /** The index that has the cursor. */
  readonly at: number | null;
  readonly places: readonly Place[];
  /** The row at an index; undefined while it is on its way. */
  readonly row: (index: number) => DrawnRow | undefined;
}

interface CellNode {
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

interface Line {
  readonly element: HTMLElement;
  cells: CellNode[];
  places: readonly Place[];
  index: number;
  look: string;
  /** In rows from the top of the sheet. */
  place: number;
  height: number;
  hasCursor: boolean | null;
}

/** Rows from the top of the sheet before it begins anew: far below what a browser can lay out. */
const FARTHEST = 50_000;

const ABSENT: DrawnRow = { look: "", cells: [{ text: "…", look: "dim" }] };

export class RowLayer {
  readonly #sheet: HTMLElement;
  readonly #lines: Line[] = [];
  /** Index of the row at the top of the sheet. */
  #base = 0;
  #moved = 0;

  constructor(sheet: HTMLElement) {
    this.#sheet = sheet;
  }

  draw(drawing: Drawing): void {
    const { first, count, shift, rowHeight } = drawing;
    const lines = this.#lines;
    const before = lines[0]?.index ?? first;
    while (lines.length > count) lines.pop()?.element.remove();
    while (lines.length < count) lines.push(this.#add());
    const by = first - before;
    if (Math.abs(by) <= lines.length / 2) this.#roll(by);
    // All of them are others: they stay where they stand.
    else this.#base += by;
    if (Math.abs(first - this.#base) > FARTHEST) this.#base = first;
    for (const [slot, line] of lines.entries()) drawLine(line, first + slot, first + slot - this.#base, drawing);
    const moved = (this.#base - first) * rowHeight - shift;
    if (moved !== this.#moved) this.#sheet.style.transform = `translateY(${(this.#moved = moved)}px)`;
  }

  /** Has the lines that left at one edge come in at the other, so that those between keep what they show. */
  #roll(by: number): void {
    if (by > 0) {
      const left = this.#lines.splice(0, by);
      this.#lines.push(...left);
      this.#sheet.append(...left.map(({ element }) => element));
    } else if (by < 0) {
      const left = this.#lines.splice(by);
      this.#lines.unshift(...left);
      this.#sheet.prepend(...left.map(({ element }) => element));
    }
  }

  #add(): Line {
    const element = document.createElement("div");
    element.setAttribute("role", "row");
    this.#sheet.append(element);
    return { element, cells: [], places: [], index: -1, look: "", place: Number.NaN, height: 0, hasCursor: null };
  }
}

function drawLine(line: Line, index: number, row: number, drawing: Drawing): void {
  const { rowHeight, at, places } = drawing;
  const { element } = line;
  if (index !== line.index) {
    element.setAttribute("aria-rowindex", String(index + 2));
    element.dataset["index"] = String(index);
    line.index = index;
  }
  const hasCursor = index === at;
  if (hasCursor !== line.hasCursor) {
    element.setAttribute("aria-selected", String(hasCursor));
    element.tabIndex = hasCursor ? 0 : -1;
    line.hasCursor = hasCursor;
  }
  const { look, cells } = drawing.row(index) ?? ABSENT;
  const looks = `line placed${look === "" ? "" : ` ${look}`}${hasCursor ? " cursor" : ""}`;
  if (looks !== line.look) element.className = line.look = looks;
  if (row !== line.place || rowHeight !== line.height) element.style.top = `${row * rowHeight}px`;
  line.place = row;
  if (rowHeight !== line.height) {
    element.style.height = element.style.lineHeight = `${rowHeight}px`;
    line.height = rowHeight;
    line.places = [];
  }
  const whole = cells.length === 1 && places.length > 1;
  if (line.cells.length !== cells.length) {
    line.cells = cells.map(() => makeCell());
    line.places = [];
    element.replaceChildren(...line.cells.map((cell) => cell.element));
  }
  if (places !== line.places) place(line, places, whole);
  for (const [column, cell] of cells.entries()) {
    const node = line.cells[column];
    if (node !== undefined) drawCell(node, cell, drawing.em);
  }
}

/** Puts the cells side by side, each up beside the one before: blocks in flow are no layers, and cheaper than a flexbox. */
function place(line: Line, places: readonly Place[], whole: boolean): void {
  line.places = places;
  const end = places.at(-1) ?? { left: 0, width: 0 };
  for (const [column, cell] of line.cells.entries()) {
    const { left, width } = places[column] ?? end;
    cell.width = whole ? end.left + end.width - left : width;
    cell.element.style.margin = `${column === 0 ? 0 : -line.height}px 0 0 ${left}px`;
    cell.element.style.width = `${cell.width}px`;
    if (whole) cell.element.setAttribute("aria-colspan", String(places.length));
  }
}

function makeCell(): CellNode {
  const element = document.createElement("span");
  element.setAttribute("role", "gridcell");
  const plain = document.createTextNode("");
  element.append(plain);
  return { element, shown: { text: "", look: "" }, plain, width: 0, needed: 0, em: 0, isCut: false };
}

function drawCell(node: CellNode, cell: DrawnCell, em: number): void {
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
