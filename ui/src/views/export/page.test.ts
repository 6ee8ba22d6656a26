/** The page of an export as it is written into the file, in a browser without a server: its scrubber moves what is shown. */
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Bubble } from "../../generated/wire";

const script = readFileSync("../src-tauri/api/src/export/turns.js", "utf8");
const HOSTILE = "<img src=x onerror=alert(1)></script>";

const bubble = (text: string, bot: boolean): Bubble => ({
  message: null, from_bot: bot, author: bot ? "bot" : "Ada", quote: null, part: { part: "text", text }, reactions: [], edits: 0, deleted: false, length: text.length, limit: 4096,
});
const step = (at_ms: number, text: string, map: number, chat: number): unknown => ({
  at_ms, kind: "range", text, error: false, message: 0, span: [0, 4], rule: "G3.block", about: "A block.", inputs: [{ name: "tag", value: "voice" }], effect: `Effect of ${text}`, map, chat,
});
const turn = (number: number): unknown => ({
  turn: number, channel: "telegram", session: "s", sender: "Ada", began: "today", ending: "answered", took: "9 ms", agent: "", user_text: HOSTILE, answer: "", leaked: [],
  raw: ["<v/>Grüße"],
  maps: [[], [{ came: 4, ranges: [], held: { span: [0, 4], reason: "partial_tag", because: "a tag", releases: "its end" }, suppressed: null }],
    [{ came: 11, ranges: [{ span: [0, 4], fate: "strip", about: "stripped" }, { span: [4, 11], fate: "show", about: "shown" }], held: null, suppressed: null }]],
  chats: [{ bubbles: [bubble(HOSTILE, false)], typing: true, notes: [] }, { bubbles: [bubble(HOSTILE, false), bubble("Grüße", true)], typing: false, notes: [] }],
  steps: [step(0, "came in", 0, 0), step(5, "held", 1, 0), step(9, "shown", 2, 1)],
});

function open(data: unknown): void {
  document.body.innerHTML = '<main id="page"></main><script type="application/json" id="data"></script>';
  (document.getElementById("data") as HTMLElement).textContent = JSON.stringify(data);
  new Function(script)();
}

const slider = (): HTMLInputElement => document.querySelector("input[type=range]") as HTMLInputElement;
const text = (selector: string): string => document.querySelector(selector)?.textContent ?? "";
const fates = (): string[] => [...document.querySelectorAll(".map span")].map((run) => `${run.classList[0] ?? ""}:${run.textContent}`);

function drag(to: number): void {
  slider().value = String(to);
  slider().dispatchEvent(new Event("input", { bubbles: true }));
}

beforeEach(() => open({ turns: [turn(10)] }));
afterEach(() => (document.body.innerHTML = ""));

it("shows the end of the turn first, and every instant as the scrubber moves", () => {
  expect(fates()).toEqual(["strip:<v/>", "show:Grüße"]);
  expect(text(".chat")).toContain("Grüße");
  drag(1);
  expect(fates()).toEqual(["held:<v/>", "future:Grüße"]);
  expect(text(".chat")).not.toContain("Grüße");
  expect(text(".chat")).toContain("is writing…");
  expect(text(".decision")).toContain("Effect of held");
  expect(text(".clock")).toBe("2/3 · +5 ms");
  drag(0);
  expect(fates()).toEqual([]);
  expect(text(".decision")).toContain("came in");
});

it("steps by key and by button, and stays within the turn", () => {
  const press = (key: string): boolean => slider().dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  press("[");
  expect(text(".clock")).toBe("2/3 · +5 ms");
  press("]");
  press("]");
  expect(text(".clock")).toBe("3/3 · +9 ms");
  for (let i = 0; i < 5; i += 1) (document.querySelector("[aria-label='Previous decision']") as HTMLElement).click();
  expect(text(".clock")).toBe("1/3 · +0 ms");
  expect(slider().getAttribute("aria-valuetext")).toBe("1 of 3, after 0 ms: came in");
  expect(document.querySelectorAll("[aria-current=step]")).toHaveLength(1);
});

it("shows what people and agents wrote as text, never as markup", () => {
  expect(document.querySelectorAll("img, #page script")).toHaveLength(0);
  expect(text("h1")).toBe(HOSTILE);
  expect(text(".chat")).toContain(HOSTILE);
});

it("leads to each of several turns, each with a scrubber of its own", () => {
  open({ turns: [turn(10), turn(12)] });
  expect([...document.querySelectorAll("nav a")].map((link) => link.getAttribute("href"))).toEqual(["#turn-10", "#turn-12"]);
  drag(0);
  expect([...document.querySelectorAll(".clock")].map((clock) => clock.textContent)).toEqual(["1/3 · +0 ms", "3/3 · +9 ms"]);
});
