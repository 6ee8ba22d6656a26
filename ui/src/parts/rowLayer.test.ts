import { beforeEach, describe, expect, it } from "vitest";
import { placesOf } from "./places";
import { RowLayer, type Drawing, type DrawnRow } from "./rowLayer";

let host: HTMLElement;
beforeEach(() => {
  host = document.createElement("div");
});

const plain = (text: string): DrawnRow => ({ look: "", cells: [{ text, look: "clip", marked: true }, { text: `${text}!`, look: "" }] });
const places = [{ left: 14, width: 90 }, { left: 116, width: 200 }];
const drawing = (rows: readonly (DrawnRow | undefined)[], more: Partial<Drawing> = {}): Drawing => ({
  first: 0, count: rows.length, shift: 0, rowHeight: 24, at: null, places, row: (index) => rows[index], ...more,
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
    expect([cell?.style.left, cell?.style.width, cell?.getAttribute("aria-colspan")]).toEqual(["14px", "302px", "2"]);
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
