import { beforeEach, describe, expect, it } from "vitest";
import { placesOf } from "./places";
import { RowLayer, type Drawing, type DrawnRow } from "./rowLayer";

let host: HTMLElement;
beforeEach(() => {
  host = document.createElement("div");
});

const plain = (text: string): DrawnRow => ({ look: "", cells: [{ text, look: "words", marked: true }, { text: `${text}!`, look: "" }] });
const places = [{ left: 14, width: 90 }, { left: 116, width: 200 }];
const drawing = (rows: readonly (DrawnRow | undefined)[], more: Partial<Drawing> = {}): Drawing => ({
  first: 0, count: rows.length, shift: 0, rowHeight: 24, em: 13, at: null, places, row: (index) => rows[index], ...more,
});
const texts = (): string[] => [...host.children].map((line) => line.textContent ?? "");

describe("a layer of rows", () => {
  it("writes what differs into the nodes that are there", () => {
    const layer = new RowLayer(host);
    layer.draw(drawing([plain("one"), plain("two")]));
    const nodes = [...host.querySelectorAll("[role='gridcell']")].map((cell) => cell.firstChild);
    layer.draw(drawing([plain("two"), plain("three")]));
    expect(texts()).toEqual(["twotwo!", "threethree!"]);
    expect([...host.querySelectorAll("[role='gridcell']")].map((cell) => cell.firstChild)).toEqual(nodes);
  });

  it("has as many rows as fit, and says of one that is on its way that it is", () => {
    const layer = new RowLayer(host);
    layer.draw(drawing([plain("one"), undefined, plain("three")]));
    expect(texts()).toEqual(["oneone!", "…", "threethree!"]);
    layer.draw(drawing([plain("one")]));
    expect(texts()).toEqual(["oneone!"]);
    layer.draw(drawing([]));
    expect(texts()).toEqual([]);
  });

  it("draws marks of what nobody sees, and plain text again behind it", () => {
    const layer = new RowLayer(host);
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
    const layer = new RowLayer(host);
    const badge = (text: string): DrawnRow => ({ look: "is-error", cells: [{ text: "", look: "", badges: text === "" ? [] : [{ text, look: "flag", title: "t" }] }, { text: "x", look: "" }] });
    layer.draw(drawing([badge("error")]));
    expect(host.querySelector(".flag")?.textContent).toBe("error");
    expect(host.firstElementChild?.className).toBe("line placed is-error");
    layer.draw(drawing([badge("")]));
    expect(host.querySelector(".flag")).toBeNull();
    layer.draw(drawing([plain("one")]));
    expect(texts()).toEqual(["oneone!"]);
  });

  it("gives one cell alone the width of the row", () => {
    const layer = new RowLayer(host);
    layer.draw(drawing([{ look: "", cells: [{ text: "3 events were left out", look: "gap" }] }]));
    const cell = host.querySelector<HTMLElement>(".gap");
    expect([cell?.style.marginLeft, cell?.style.width, cell?.getAttribute("aria-colspan")]).toEqual(["14px", "302px", "2"]);
  });

  const shown = (): (string | undefined)[] => [...host.children].map((line) => (line as HTMLElement).dataset["index"]);
  /** Where the rows stand on the screen, in px. */
  const tops = (): number[] => {
    const moved = Number(/-?[\d.]+/.exec(host.style.transform)?.[0] ?? 0);
    return [...host.children].map((line) => Number.parseFloat((line as HTMLElement).style.top) + moved);
  };
  const at = (first: number, more: Partial<Drawing> = {}): Drawing => drawing([], { first, count: 4, row: (index) => plain(`row ${index}`), ...more });

  it("touches no row that is still shown, and moves the sheet instead", async () => {
    const layer = new RowLayer(host);
    layer.draw(at(10));
    const touched: Node[] = [];
    const observer = new MutationObserver((records) => touched.push(...records.map(({ target }) => target)));
    observer.observe(host, { subtree: true, characterData: true, attributes: true, attributeFilter: ["style", "class", "data-index"] });
    const stay = [...host.children].slice(1);
    layer.draw(at(11));
    await Promise.resolve();
    expect(stay.some((line) => touched.some((node) => line.contains(node)))).toBe(false);
    expect(shown()).toEqual(["11", "12", "13", "14"]);
    expect(tops()).toEqual([0, 24, 48, 72]);
    layer.draw(at(9, { shift: 5 }));
    expect([shown(), tops()]).toEqual([["9", "10", "11", "12"], [-5, 19, 43, 67]]);
    observer.disconnect();
  });

  it("stands where it should after any way: far, back, with more rows and higher ones", () => {
    const layer = new RowLayer(host);
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

  it("cuts a text off only where it may not fit", () => {
    const layer = new RowLayer(host);
    const isCut = (): boolean[] => [...host.querySelectorAll("[role='gridcell']")].map((cell) => cell.classList.contains("cut"));
    layer.draw(drawing([{ look: "", cells: [{ text: "12:34:56.7", look: "mono" }, { text: "short", look: "" }] }]));
    expect(isCut()).toEqual([false, false]);
    layer.draw(drawing([{ look: "", cells: [{ text: "12:34:56.789", look: "mono" }, { text: "far more than two hundred px can hold", look: "" }] }]));
    expect(isCut()).toEqual([true, true]);
  });

  it("marks the row that has the cursor, for eyes, keys and screen readers", () => {
    const layer = new RowLayer(host);
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
    expect(placesOf(columns, 1000, 28, 2)).toEqual([{ left: 28, width: 180 }, { left: 232, width: 616 }, { left: 872, width: 100 }]);
  });
});
