import { afterEach, expect, it, vi } from "vitest";
import { layOut } from "../../test/stage";
import { place, type Box } from "../tip";
import { followAnchor, type Anchorage } from "./anchor";

let stop: () => void = () => undefined;
afterEach(() => {
  stop();
  document.body.innerHTML = "";
});

/** An element that the page lays out here. */
function put(id: string, left: number, top: number, width: number, height: number): HTMLElement {
  const element = document.body.appendChild(document.createElement("div"));
  element.className = id;
  element.getBoundingClientRect = () => new DOMRect(left, top, width, height);
  return element;
}

const covers = (a: Box, b: Box): boolean => a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;

it("takes several elements as one, and follows them as the page changes", async () => {
  layOut();
  const told: (Anchorage | null)[] = [];
  put("bytes", 500, 180, 70, 16);
  put("clear", 400, 100, 600, 30);
  stop = followAnchor(".bytes", ".clear", (anchorage) => told.push(anchorage));
  expect(told).toEqual([{ about: { left: 495, top: 175, width: 80, height: 26 }, clear: [{ left: 400, top: 100, width: 600, height: 30 }] }]);

  const second = put("bytes", 480, 200, 110, 16);
  await vi.waitFor(() => expect(told.at(-1)?.about).toEqual({ left: 475, top: 175, width: 120, height: 46 }));
  second.getBoundingClientRect = () => new DOMRect(480, 240, 110, 16);
  window.dispatchEvent(new Event("resize"));
  await vi.waitFor(() => expect(told.at(-1)?.about.height).toBe(86));

  document.body.innerHTML = "";
  await vi.waitFor(() => expect(told.at(-1)).toBeNull());
});

it("leads to a place that covers neither what it is about nor what is kept clear", () => {
  const size = { width: 300, height: 150 };
  const room = { width: 1440, height: 900 };
  const map: Box = { left: 386, top: 110, width: 680, height: 30 };
  const card: Box = { left: 386, top: 570, width: 680, height: 110 };
  const time: Box = { left: 50, top: 690, width: 1390, height: 150 };
  for (const about of [{ left: 490, top: 170, width: 90, height: 50 }, card, { left: 60, top: 330, width: 320, height: 290 }]) {
    const spot = place(size, about, [map, card, time], room);
    for (const other of [about, map, card, time]) expect(covers({ ...spot, ...size }, other), `${JSON.stringify(spot)} over ${JSON.stringify(other)}`).toBe(false);
  }
});
