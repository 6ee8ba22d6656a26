import { afterEach, beforeEach, expect, it } from "vitest";
import { layOut } from "../test/stage";
import { leaveOut } from "./leaveOut";

let row: HTMLElement;
let end: () => void;
/** Px that the row's parts take together, each where it is not left out. */
let parts: Record<string, number>;
let measured = 0;

beforeEach(() => {
  layOut();
  row = document.createElement("div");
  parts = { badges: 300, names: 100, figures: 50 };
  measured = 0;
  Object.defineProperty(row, "clientWidth", { get: () => 400 });
  Object.defineProperty(row, "scrollWidth", {
    get: () => {
      measured += 1;
      const without = row.dataset["without"]?.split(" ") ?? [];
      return Math.max(400, Object.entries(parts).reduce((sum, [name, width]) => sum + (without.includes(name) ? 0 : width), 0));
    },
  });
  end = leaveOut(["figures", "names"])(row);
});
afterEach(() => end());

const change = async (badges: number): Promise<void> => {
  parts["badges"] = badges;
  row.append("x");
  await new Promise((resolve) => setTimeout(resolve));
};

it("leaves out as little as makes the rest fit, in order", async () => {
  expect(row.dataset["without"]).toBe("figures");
  await change(400);
  expect(row.dataset["without"]).toBe("figures names");
});

it("shows it again once there is room, and measures only when something changed", async () => {
  await change(400);
  await change(200);
  expect(row.dataset["without"]).toBe("");
  const before = measured;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(measured).toBe(before);
});
