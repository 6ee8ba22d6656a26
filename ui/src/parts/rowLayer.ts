/**
 * Rows that change with every frame, drawn without components.
 *
 * Following a journal at 10,000 events a second replaces every row of the screen in every frame, and at 50 moves all of
 * them by one. An element that is positioned, or cuts its text off, is a layer in WebKit, and each layer that moves is
 * repainted by itself. So the rows stand still in a sheet, and the sheet moves:
 *
 *     sheet (transform: -24 px)     row 41 at 0      after one more event: row 41 becomes row 44 at 72,
 *                                   row 42 at 24     rows 42 and 43 are not touched,
 *                                   row 43 at 48     and the sheet moves to -48 px
 *
 * A row has a position that no other row changes: its index, or, where the newest are first, minus its index. There one
 * more event has the position -44, which comes in above -43, and the sheet moves down.
 *
 * The second cost is computing styles. A row has its place as a `style` and nearly never changes its classes; its cells,
 * and the part of it that they stand in, change theirs and have no `style` (parts/drawnCell.ts).
 *
 * The third is laying out what did not change: a cell is a box whose size and place depend on no other, so that a text that
 * changes has nothing else laid out or painted.
 *
 * The fourth is laying text out, by the character. A cell holds what fits, cut by the widths of its characters; only where
 * those are unknown does the page cut it off, which costs several times as much.
 *
 * Invariants: a row that is still shown is not touched; a node that shows the same again is not touched; rows stand in the
 * page in the order in which they are read. The number of a row for screen readers is the exception: counted from the top,
 * that of every row changes with what comes in above. Rows that stay have theirs brought up to date once a second, and at
 * once when asked to.
 */
import { drawCell, makeCell, type CellNode, type DrawnCell } from "./drawnCell";
import { isMeasured } from "./textWidth";

/** Where a cell stands in its row, in px. */
export interface Place {
  readonly left: number;
  readonly width: number;
}

/** What a row shows; one cell alone is as wide as the row. */
export interface DrawnRow {
  /** Classes of the part that holds its cells. */
  readonly look: string;
  readonly isMarked?: boolean;
  readonly cells: readonly DrawnCell[];
}

/** What is on the screen. */
export interface Drawing {
  /** Position of the first row drawn, and how many are. */
  readonly first: number;
  readonly count: number;
  /** Px that the first row is cut off by. */
  readonly shift: number;
  readonly rowHeight: number;
  /** Px of an em of the text. */
  readonly em: number;
  /** The position that has the cursor. */
  readonly at: number | null;
  /** Number, for screen readers, of the row at position 0. */
  readonly numberOfZero: number;
  readonly places: readonly Place[];
  /** The row at a position, the same object for as long as it shows the same; undefined while it is on its way. */
  readonly row: (position: number) => DrawnRow | undefined;
}

interface Line {
  readonly element: HTMLElement;
  /** What its cells stand in. */
  readonly content: HTMLElement;
  cells: CellNode[];
  places: readonly Place[];
  position: number;
  /** As it was told to screen readers. */
  number: number;
  drawn: DrawnRow | null;
  em: number;
  classes: string;
  look: string;
  /** In rows from the top of the sheet. */
  place: number;
  height: number;
  hasCursor: boolean | null;
}

/** Ms that the numbers of rows that stay may be behind. */
const NUMBERS_MS = 1000;

/** Rows from the top of the sheet before it begins anew: far below what a browser can lay out. */
const FARTHEST = 50_000;

const ABSENT: DrawnRow = { look: "", cells: [{ text: "…", look: "dim" }] };

export class RowLayer {
  readonly #room: HTMLElement;
  readonly #sheet: HTMLElement;
  readonly #lines: Line[] = [];
  /** Position of the row at the top of the sheet. */
  #base = 0;
  #moved = 0;
  #numberOfZero = 0;
  #places: readonly Place[] = [];
  #wasMeasured = false;
  #renumbering: ReturnType<typeof setTimeout> | null = null;

  /** Draws on a sheet. The `room` around it tells the cells where they stand: what inherits from a sheet changes as it moves. */
  constructor(room: HTMLElement, sheet: HTMLElement) {
    this.#room = room;
    this.#sheet = sheet;
  }

  draw(drawing: Drawing): void {
    const { first, count, shift, rowHeight } = drawing;
    const lines = this.#lines;
    const before = lines[0]?.position ?? first;
    while (lines.length > count) lines.pop()?.element.remove();
    while (lines.length < count) lines.push(this.#add());
    const by = first - before;
    if (Math.abs(by) <= lines.length / 2) this.#roll(by);
    // All of them are others: they stay where they stand.
    else this.#base += by;
    if (Math.abs(first - this.#base) > FARTHEST) this.#base = first;
    this.#numberOfZero = drawing.numberOfZero;
    this.#arrange(drawing);
    let isBehind = false;
    let slot = 0;
    for (const line of lines) {
      const position = first + slot;
      drawLine(line, position, position - this.#base, drawing);
      isBehind ||= line.number !== position + drawing.numberOfZero;
      slot += 1;
    }
    const moved = (this.#base - first) * rowHeight - shift;
    if (moved !== this.#moved) this.#sheet.style.transform = `translateY(${(this.#moved = moved)}px)`;
    if (isBehind) this.#renumbering ??= setTimeout(() => this.renumber(), NUMBERS_MS);
  }

  /** Brings the numbers for screen readers up to date: for whoever begins to read. */
  renumber(): void {
    this.close();
    for (const line of this.#lines) numberLine(line, line.position + this.#numberOfZero);
  }

  /** Nothing is drawn any more. */
  close(): void {
    if (this.#renumbering !== null) clearTimeout(this.#renumbering);
    this.#renumbering = null;
  }

  /** Tells the cells of all rows where they stand. */
  #arrange({ places }: Drawing): void {
    const { style } = this.#room;
    // Before texts can be measured, nearly none of them seems to fit.
    const isSure = isMeasured() && !this.#wasMeasured;
    this.#wasMeasured ||= isSure;
    if (isSure) for (const line of this.#lines) line.places = [];
    if (places === this.#places) return;
    this.#places = places;
    for (const [column, { left, width }] of places.entries()) {
      style.setProperty(`--left-${column}`, `${left}px`);
      style.setProperty(`--width-${column}`, `${width}px`);
    }
    style.setProperty("--width-all", `${widthOf(places)}px`);
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
    const content = document.createElement("div");
    content.setAttribute("role", "none");
    content.className = "content";
    element.append(content);
    this.#sheet.append(element);
    return {
      element, content, cells: [], places: [], position: Number.NaN, number: 0, drawn: null, em: 0, classes: "", look: "",
      place: Number.NaN, height: 0, hasCursor: null,
    };
  }
}

function numberLine(line: Line, number: number): void {
  if (number !== line.number) line.element.setAttribute("aria-rowindex", String((line.number = number)));
}

function drawLine(line: Line, position: number, place: number, drawing: Drawing): void {
  const { at, em, places } = drawing;
  const { element, content } = line;
  const hasCursor = position === at;
  if (position !== line.position) {
    element.dataset["index"] = String(Math.abs(position));
    line.position = position;
    numberLine(line, position + drawing.numberOfZero);
  } else if (hasCursor) {
    numberLine(line, position + drawing.numberOfZero);
  }
  placeLine(line, place, drawing.rowHeight);
  const drawn = drawing.row(position) ?? ABSENT;
  if (hasCursor !== line.hasCursor) {
    element.setAttribute("aria-selected", String(hasCursor));
    element.tabIndex = hasCursor ? 0 : -1;
    line.hasCursor = hasCursor;
  }
  const classes = `line placed${drawn.isMarked === true ? " marked" : ""}${hasCursor ? " cursor" : ""}`;
  if (classes !== line.classes) element.className = line.classes = classes;
  // Most rows are where they were, and say what they said.
  if (drawn === line.drawn && places === line.places && em === line.em) return;
  line.drawn = drawn;
  line.em = em;
  if (drawn.look !== line.look) content.className = `content ${(line.look = drawn.look)}`;
  const { cells } = drawn;
  if (line.cells.length !== cells.length) {
    line.cells = cells.map(() => makeCell());
    line.places = [];
    content.replaceChildren(...line.cells.map((cell) => cell.element));
  }
  if (places !== line.places) placeCells(line, places, cells.length === 1 && places.length > 1);
  for (const [column, cell] of cells.entries()) {
    const node = line.cells[column];
    if (node !== undefined) drawCell(node, cell, em);
  }
}

function placeLine(line: Line, place: number, rowHeight: number): void {
  const { element } = line;
  if (place !== line.place || rowHeight !== line.height) element.style.top = `${place * rowHeight}px`;
  line.place = place;
  if (rowHeight === line.height) return;
  element.style.height = element.style.lineHeight = `${rowHeight}px`;
  line.height = rowHeight;
}

/** Px from the left of the first column to the right of the last. */
function widthOf(places: readonly Place[]): number {
  const [first, last] = [places[0], places.at(-1)];
  return first === undefined || last === undefined ? 0 : last.left + last.width - first.left;
}

/** Gives each cell the class that places it. */
function placeCells(line: Line, places: readonly Place[], isWhole: boolean): void {
  line.places = places;
  for (const [column, cell] of line.cells.entries()) {
    cell.place = isWhole ? "at-0 whole" : `at-${column}`;
    cell.width = isWhole ? widthOf(places) : (places[column]?.width ?? 0);
    cell.classes = "";
    if (isWhole) cell.element.setAttribute("aria-colspan", String(places.length));
  }
}
