import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { placesOf } from "./places";
import { RowLayer, type Drawing, type DrawnRow } from "./rowLayer";
import * as measuring from "./textWidth";

vi.mock("./textWidth", { spy: true });

let host: HTMLElement;
beforeEach(() => {
  host = document.createElement("div");
});

const plain = (text: string): DrawnRow => ({ look: "", cells: [{ text, look: "words", marked: true }, { text: `${text}!`, look: "" }] });
const places = [{ left: 14, width: 90 }, { left: 116, width: 200 }];
const drawing = (rows: readonly (DrawnRow | undefined)[], more: Partial<Drawing> = {}): Drawing => ({
  first: 0, count: rows.length, shift: 0, rowHeight: 24, em: 13, at: null, numberOfZero: 2, places, row: (position) => rows[position], ...more,
});
const texts = (): string[] => [...host.children].map((line) => line.textContent ?? "");

describe("a layer of rows", () => {
  it("writes what differs into the nodes that are there", () => {
    const layer = new RowLayer(document.createElement("div"), host);
    layer.draw(drawing([plain("one"), plain("two")]));
    const nodes = [...host.querySelectorAll("[role='gridcell']")].map((cell) => cell.firstChild);
    layer.draw(drawing([plain("two"), plain("three")]));
    expect(texts()).toEqual(["twotwo!", "threethree!"]);
    expect([...host.querySelectorAll("[role='gridcell']")].map((cell) => cell.firstChild)).toEqual(nodes);
  });

  it("has as many rows as fit, and says of one that is on its way that it is", () => {
    const layer = new RowLayer(document.createElement("div"), host);
    layer.draw(drawing([plain("one"), undefined, plain("three")]));
    expect(texts()).toEqual(["oneone!", "…", "threethree!"]);
    layer.draw(drawing([plain("one")]));
    expect(texts()).toEqual(["oneone!"]);
    layer.draw(drawing([]));
    expect(texts()).toEqual([]);
  });

  it("draws marks of what nobody sees, and plain text again behind it", () => {
    const layer = new RowLayer(document.createElement("div"), host);
    layer.draw(drawing([plain("a\nb")]));
    expect([...host.querySelectorAll("[data-sign]")].map((sign) => sign.getAttribute("data-sign"))).toEqual(["LF"]);
    expect(texts()[0]).toContain("ab");
    layer.draw(drawing([plain("a\nb")]));
    expect(host.querySelectorAll("[data-sign]")).toHaveLength(1);
    layer.draw(drawing([plain("ab")]));
    expect(host.querySelector("[data-sign]")).toBeNull();
    expect(texts()).toEqual(["abab!"]);
  });

  it("draws badges in place of a text, and none where there are none", () => {
    const layer = new RowLayer(document.createElement("div"), host);
    const badge = (text: string): DrawnRow => ({ look: "is-error", cells: [{ text: "", look: "", badges: text === "" ? [] : [{ text, look: "flag", title: "t" }] }, { text: "x", look: "" }] });
    layer.draw(drawing([badge("error")]));
    expect(host.querySelector(".flag")?.textContent).toBe("error");
    expect(host.firstElementChild?.firstElementChild?.className).toBe("content is-error");
    layer.draw(drawing([badge("")]));
    expect(host.querySelector(".flag")).toBeNull();
    layer.draw(drawing([plain("one")]));
    expect(texts()).toEqual(["oneone!"]);
  });

  it("places cells by classes, for which the room around the sheet has the figures", () => {
    const room = document.createElement("div");
    const layer = new RowLayer(room, host);
    layer.draw(drawing([{ look: "is-held", cells: [{ text: "one", look: "mono" }, { text: "two", look: "words" }] }]));
    const figures = ["--left-0", "--width-0", "--left-1", "--width-1", "--width-all"].map((name) => room.style.getPropertyValue(name));
    expect(figures).toEqual(["14px", "90px", "116px", "200px", "302px"]);
    const cells = [...host.querySelectorAll("[role='gridcell']")];
    expect(cells.map((cell) => [...cell.classList].slice(0, 2))).toEqual([["at-0", "mono"], ["at-1", "words"]]);
    // One with a style of its own is computed anew in every frame.
    expect(host.querySelectorAll(".content[style], .content [style]")).toHaveLength(0);
    expect(host.firstElementChild?.className, "a row has a style, and keeps its classes").toBe("line placed");
  });

  it("gives one cell alone the width of the row", () => {
    const layer = new RowLayer(document.createElement("div"), host);
    layer.draw(drawing([{ look: "", cells: [{ text: "3 events were left out", look: "gap" }] }]));
    const cell = host.querySelector<HTMLElement>(".gap");
    expect([[...(cell?.classList ?? [])].slice(0, 3), cell?.getAttribute("aria-colspan")]).toEqual([["at-0", "whole", "gap"], "2"]);
  });

  const shown = (): (string | undefined)[] => [...host.children].map((line) => (line as HTMLElement).dataset["index"]);
  /** Where the rows stand on the screen, in px. */
  const tops = (): number[] => {
    const moved = Number(/-?[\d.]+/.exec(host.style.transform)?.[0] ?? 0);
    return [...host.children].map((line) => Number.parseFloat((line as HTMLElement).style.top) + moved);
  };
  const at = (first: number, more: Partial<Drawing> = {}): Drawing => drawing([], { first, count: 4, row: (index) => plain(`row ${index}`), ...more });

  /** The same four rows where the newest of so many is at the top, or so many rows above the first that is drawn. */
  const above = (length: number, first = 0, more: Partial<Drawing> = {}): Drawing => at(first + 1 - length, { numberOfZero: length + 1, row: (position) => plain(`row ${Math.abs(position)}`), ...more });
  /** The rows in which anything was written. */
  async function touched(draw: () => void): Promise<Element[]> {
    const nodes: Node[] = [];
    const observer = new MutationObserver((records) => nodes.push(...records.map(({ target }) => target)));
    observer.observe(host, { subtree: true, characterData: true, attributes: true });
    draw();
    await Promise.resolve();
    observer.disconnect();
    return [...host.children].filter((line) => nodes.some((node) => line.contains(node)));
  }

  it("touches no row that is still shown, and moves the sheet instead", async () => {
    const layer = new RowLayer(document.createElement("div"), host);
    layer.draw(at(10));
    const [left, ...stay] = [...host.children];
    expect(await touched(() => layer.draw(at(11)))).toEqual([left]);
    expect([...host.children]).toEqual([...stay, left]);
    expect(shown()).toEqual(["11", "12", "13", "14"]);
    expect(tops()).toEqual([0, 24, 48, 72]);
    layer.draw(at(9, { shift: 5 }));
    expect([shown(), tops()]).toEqual([["9", "10", "11", "12"], [-5, 19, 43, 67]]);
  });

  it("touches only the row that comes in where the newest are first, too", async () => {
    const layer = new RowLayer(document.createElement("div"), host);
    layer.draw(above(100));
    expect(shown()).toEqual(["99", "98", "97", "96"]);
    const before = [...host.children];
    const left = before.at(-1);
    expect(await touched(() => layer.draw(above(101)))).toEqual([left]);
    expect([...host.children]).toEqual([left, ...before.slice(0, -1)]);
    expect([shown(), tops()]).toEqual([["100", "99", "98", "97"], [0, 24, 48, 72]]);
    expect(await touched(() => layer.draw(above(102, 1))), "one more above what one looks at").toEqual([]);
    expect([shown(), tops()]).toEqual([["100", "99", "98", "97"], [0, 24, 48, 72]]);
  });

  describe("the numbers of rows for a screen reader", () => {
    const numbers = (): number[] => [...host.children].map((line) => Number(line.getAttribute("aria-rowindex")));
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it("are right at once for what comes in and for the cursor, and for the others a second later, in one go", () => {
      const layer = new RowLayer(document.createElement("div"), host);
      layer.draw(above(100));
      expect(numbers()).toEqual([2, 3, 4, 5]);
      const writes = vi.spyOn(Element.prototype, "setAttribute");
      layer.draw(above(101, 0, { at: -98 }));
      layer.draw(above(102, 0, { at: -98 }));
      expect(numbers()).toEqual([2, 2, 2, 5]);
      writes.mockClear();
      vi.runAllTimers();
      expect(numbers()).toEqual([2, 3, 4, 5]);
      expect(writes.mock.calls.length).toBe(2);
      writes.mockRestore();
      expect(vi.getTimerCount()).toBe(0);
    });

    it("are right as soon as the keyboard comes, and left alone once nothing is drawn any more", () => {
      const layer = new RowLayer(document.createElement("div"), host);
      layer.draw(above(100));
      layer.draw(above(101));
      layer.renumber();
      expect(numbers()).toEqual([2, 3, 4, 5]);
      layer.draw(above(102));
      layer.close();
      expect(vi.getTimerCount()).toBe(0);
    });

    it("need no second look where the oldest are first", () => {
      const layer = new RowLayer(document.createElement("div"), host);
      layer.draw(at(10));
      layer.draw(at(11));
      expect([numbers(), vi.getTimerCount()]).toEqual([[13, 14, 15, 16], 0]);
    });
  });

  it("looks at no cell of a row that is the same object as before", () => {
    const cells = vi.fn(() => [{ text: "one", look: "" }]);
    const row: DrawnRow = { look: "", get cells() { return cells(); } };
    const layer = new RowLayer(document.createElement("div"), host);
    vi.spyOn(measuring, "isMeasured").mockReturnValue(true);
    layer.draw(drawing([row]));
    const looked = cells.mock.calls.length;
    layer.draw(drawing([row], { shift: 3 }));
    layer.draw(drawing([row], { at: 0 }));
    expect(cells.mock.calls.length).toBe(looked);
    expect(host.querySelector(".cursor")).not.toBeNull();
    layer.draw(drawing([row], { em: 20 }));
    layer.draw(drawing([row], { em: 20, places: [{ left: 0, width: 10 }] }));
    expect(cells.mock.calls.length).toBeGreaterThanOrEqual(looked + 2);
    vi.restoreAllMocks();
  });

  it("stands where it should after any way: far, back, with more rows and higher ones", () => {
    const layer = new RowLayer(document.createElement("div"), host);
    for (const [first, more] of [[0, {}], [1_000_000, {}], [1_000_003, {}], [999_999, { shift: 7 }], [3, { count: 6 }], [4, { rowHeight: 30 }], [0, { count: 2 }], [70_000, {}], [70_001, {}], [140_002, {}]] as const) {
      const wanted = at(first, more);
      layer.draw(wanted);
      const indices = Array.from({ length: wanted.count }, (_, slot) => first + slot);
      expect(shown()).toEqual(indices.map(String));
      expect(tops()).toEqual(indices.map((_, slot) => slot * wanted.rowHeight - wanted.shift));
      expect(texts()).toEqual(indices.map((index) => `row ${index}row ${index}!`));
      expect(Math.max(...[...host.children].map((line) => Math.abs(Number.parseFloat((line as HTMLElement).style.top))))).toBeLessThan(2_000_000);
    }
  });

  it("stands where it should where the newest are first, too", () => {
    const layer = new RowLayer(document.createElement("div"), host);
    for (const [length, first, more] of [[100, 0, {}], [101, 0, {}], [104, 0, {}], [104, 2, { shift: 7 }], [2_000_000, 0, {}], [2_000_001, 0, {}], [2_000_001, 70_000, { count: 6 }], [2_000_003, 70_001, {}], [5, 1, { rowHeight: 30 }]] as const) {
      const wanted = above(length, first, more);
      layer.draw(wanted);
      const indices = Array.from({ length: wanted.count }, (_, slot) => length - 1 - first - slot);
      expect(shown()).toEqual(indices.map(String));
      expect(tops()).toEqual(indices.map((_, slot) => slot * wanted.rowHeight - wanted.shift));
      expect(texts()).toEqual(indices.map((index) => `row ${index}row ${index}!`));
      expect(Math.max(...[...host.children].map((line) => Math.abs(Number.parseFloat((line as HTMLElement).style.top))))).toBeLessThan(2_000_000);
    }
  });

  it("holds as much of a text as fits, and has the page cut off only what cannot be measured", () => {
    const layer = new RowLayer(document.createElement("div"), host);
    const cells = (): Element[] => [...host.querySelectorAll("[role='gridcell']")];
    const isCut = (): boolean[] => cells().map((cell) => cell.classList.contains("cut"));
    layer.draw(drawing([{ look: "", cells: [{ text: "12:34:56.7", look: "mono" }, { text: "short", look: "" }] }]));
    expect(isCut()).toEqual([false, false]);
    const long = "far more than two hundred px can hold";
    layer.draw(drawing([{ look: "", cells: [{ text: "12:34:56.789 and on", look: "mono" }, { text: long, look: "" }] }]));
    expect(isCut(), "there is no font to measure with here").toEqual([false, true]);
    expect(cells().map((cell) => cell.textContent)).toEqual(["12:34:56.78…", long]);
    expect(cells().map((cell) => cell.getAttribute("title")), "who rests on it reads all of it").toEqual(["12:34:56.789 and on", long]);
    layer.draw(drawing([{ look: "", cells: [{ text: "三十一キロメートルの道", look: "mono" }, { text: long, look: "mono" }] }]));
    expect(isCut(), "characters of another font").toEqual([true, false]);
    layer.draw(drawing([{ look: "", cells: [{ text: "", look: "" }, { text: long, look: "mono" }] }], { places: [{ left: 14, width: 90 }, { left: 116, width: 400 }] }));
    expect(cells().map((cell) => cell.textContent), "a wider column holds more").toEqual(["", long]);
    expect(cells().map((cell) => cell.getAttribute("title"))).toEqual([null, null]);
  });

  it("spells out in a title what nobody sees, and lets it reorder nothing", () => {
    const layer = new RowLayer(document.createElement("div"), host);
    layer.draw(drawing([{ look: "", cells: [{ text: "a\u202eb\nc", look: "mono", marked: true }, { text: "", look: "" }] }]));
    expect(host.querySelector("[role='gridcell']")?.getAttribute("title")).toBe("\u2068a⟨RLO⟩b⟨LF⟩c\u2069");
  });

  it("marks the row that has the cursor, for eyes, keys and screen readers", () => {
    const layer = new RowLayer(document.createElement("div"), host);
    layer.draw(drawing([plain("one"), plain("two")], { first: 7, at: 8, row: () => plain("x") }));
    const marked = host.querySelector<HTMLElement>(".cursor");
    expect([marked?.dataset["index"], marked?.getAttribute("aria-rowindex"), marked?.getAttribute("aria-selected"), marked?.tabIndex]).toEqual(["8", "10", "true", 0]);
    expect(host.querySelectorAll("[aria-selected='false'][tabindex='-1']")).toHaveLength(1);
  });
});

describe("places of columns", () => {
  const columns = [{ id: "a", title: "", width: "9rem" }, { id: "b", title: "", width: "minmax(8rem, 1fr)" }, { id: "c", title: "", width: "5rem" }];

  it("share what fixed widths leave", () => {
    expect(placesOf(columns, 500, 14, 1)).toEqual([{ left: 14, width: 90 }, { left: 116, width: 308 }, { left: 436, width: 50 }]);
  });

  it("become no narrower than the least, and grow with the zoom", () => {
    expect(placesOf(columns, 100, 14, 1)[1]).toEqual({ left: 116, width: 80 });
    // Beside another that takes a larger part.
    const two = [{ ...columns[0], width: "minmax(8rem, 1fr)" }, { ...columns[1], width: "minmax(8rem, 1.5fr)" }] as typeof columns;
    expect(placesOf(two, 540, 14, 1)).toEqual([{ left: 14, width: 200 }, { left: 226, width: 300 }]);
    expect(placesOf(two, 536, 14, 1, 8)).toEqual([{ left: 14, width: 200 }, { left: 222, width: 300 }]);
    expect(placesOf(columns, 1000, 28, 2)).toEqual([{ left: 28, width: 180 }, { left: 232, width: 616 }, { left: 872, width: 100 }]);
    // One that is at its least leaves the others less, as in a grid of the page.
    const wide = [{ ...columns[0], width: "minmax(14rem, 1fr)" }, { ...columns[1], width: "minmax(8rem, 2fr)" }] as typeof columns;
    expect(placesOf(wide, 300, 0, 1, 0)).toEqual([{ left: 0, width: 140 }, { left: 140, width: 160 }]);
  });
});
