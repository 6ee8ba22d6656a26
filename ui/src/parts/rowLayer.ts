/**
 * Rows that change with every frame, drawn without components.
 *
 * Following a journal at 10,000 events a second replaces every row of the screen in every frame. As components that was
 * forty effects and eleven nodes a row, laid out as a grid each: more than a frame's time for a screen of them. Here a
 * row is a pooled element whose cells stand at px that were computed once, and a frame writes texts that differ.
 *
 * Invariants: a row's element stays at its place on the screen, whatever it shows; a node that shows the same again is
 * not touched; only a cell that changes its kind (plain, marked, badges) gets other nodes.
 */
import { pieces } from "../store/glyphs";
import { signNode } from "./sign";

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
}

interface Line {
  readonly element: HTMLElement;
  cells: CellNode[];
  places: readonly Place[];
  index: number;
  look: string;
  top: number;
  height: number;
  hasCursor: boolean | null;
}

const ABSENT: DrawnRow = { look: "", cells: [{ text: "…", look: "dim" }] };

export class RowLayer {
  readonly #host: HTMLElement;
  readonly #lines: Line[] = [];

  constructor(host: HTMLElement) {
    this.#host = host;
  }

  draw(drawing: Drawing): void {
    const lines = this.#lines;
    while (lines.length > drawing.count) lines.pop()?.element.remove();
    while (lines.length < drawing.count) lines.push(this.#add());
    for (const [slot, line] of lines.entries()) drawLine(line, slot, drawing);
  }

  #add(): Line {
    const element = document.createElement("div");
    element.setAttribute("role", "row");
    this.#host.append(element);
    return { element, cells: [], places: [], index: -1, look: "", top: Number.NaN, height: 0, hasCursor: null };
  }
}

function drawLine(line: Line, slot: number, { first, shift, rowHeight, at, places, row }: Drawing): void {
  const index = first + slot;
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
  const { look, cells } = row(index) ?? ABSENT;
  const looks = `line placed${look === "" ? "" : ` ${look}`}${hasCursor ? " cursor" : ""}`;
  if (looks !== line.look) element.className = line.look = looks;
  const top = slot * rowHeight - shift;
  if (top !== line.top) element.style.top = `${(line.top = top)}px`;
  if (rowHeight !== line.height) {
    element.style.height = element.style.lineHeight = `${rowHeight}px`;
    line.height = rowHeight;
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
    if (node !== undefined) drawCell(node, cell);
  }
}

function place(line: Line, places: readonly Place[], whole: boolean): void {
  line.places = places;
  for (const [column, { element }] of line.cells.entries()) {
    const { left, width } = places[column] ?? { left: 0, width: 0 };
    const last = places.at(-1) ?? { left: 0, width: 0 };
    element.style.left = `${left}px`;
    element.style.width = `${whole ? last.left + last.width - left : width}px`;
    if (whole) element.setAttribute("aria-colspan", String(places.length));
  }
}

function makeCell(): CellNode {
  const element = document.createElement("span");
  element.setAttribute("role", "gridcell");
  const plain = document.createTextNode("");
  element.append(plain);
  return { element, shown: { text: "", look: "" }, plain };
}

function drawCell(node: CellNode, cell: DrawnCell): void {
  const { element, shown } = node;
  node.shown = cell;
  if (cell.look !== shown.look) element.className = cell.look;
  if (cell.tint !== shown.tint) {
    if (cell.tint === undefined) element.style.removeProperty("--tint");
    else element.style.setProperty("--tint", cell.tint);
  }
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
