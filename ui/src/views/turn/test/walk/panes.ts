/** What the panes of the Turn view say, read from the page as a person reads it. */
import { byId } from "../../../../test/stage";
import type { ByteFate } from "./fold";

const all = (selector: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(selector)];
const find = (id: string): HTMLElement | null => document.querySelector<HTMLElement>(`[data-testid="${id}"]`);
const figure = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1]?.replaceAll(",", "") ?? 0);

export interface Run {
  from: number;
  to: number;
  fate: ByteFate;
}

export interface Panes {
  /** Milliseconds since the turn began, where one stands. */
  atMs: number;
  /** What the heading of the hold map counts. */
  header: { held: number; stripped: number; dropped: number };
  /** The card; its lines by their terms. */
  card: { seq: number; lines: Map<string, string>; text: string };
  /** The runs of the strip, message by message. */
  strip: Run[][];
  /** The time of day of the chat's footnote, and of the clock. */
  times: readonly [string, string];
  chat: string[];
  directives: { name: string; stage: string }[];
  ledger: { kind: string; stage: string }[];
}

/** The heading counts only bytes of these fates that are there. */
function header(): Panes["header"] {
  const text = byId("hold-map-pane").querySelector("header")?.textContent ?? byId("hold-map-pane").textContent;
  return { held: figure(text, /([\d,]+) held now/), stripped: figure(text, /([\d,]+) stripped/), dropped: figure(text, /([\d,]+) dropped/) };
}

function card(): Panes["card"] {
  const found = find("why-card");
  const lines = new Map<string, string>();
  for (const line of found?.querySelectorAll<HTMLElement>("dd") ?? []) lines.set(line.dataset["term"] ?? "", (line.textContent ?? "").trim());
  return { seq: Number(found?.dataset["seq"] ?? 0), lines, text: found?.textContent?.replaceAll(/\s+/g, " ").trim() ?? "" };
}

function strip(): Run[][] {
  return all('[data-testid="hold-map"] .message').map((message) =>
    [...message.querySelectorAll<HTMLElement>('[data-testid="cell"]')].map(({ dataset }) => ({
      from: Number(dataset["from"]), to: Number(dataset["to"]), fate: dataset["fate"] as ByteFate,
    })),
  );
}

/** The texts of the bot's messages, without what stands beside a text. */
function chat(): string[] {
  const bubbles = all('[data-testid="chat"] [data-testid="bubble"][data-from="bot"] > .box');
  return bubbles.flatMap((box) => {
    const text = [...box.children].find((child) => child.matches(".shown, p.text:not(.muted)"));
    if (text === undefined) return [];
    const copy = text.cloneNode(true) as HTMLElement;
    for (const language of copy.querySelectorAll(".language")) language.remove();
    return [copy.textContent ?? ""];
  });
}

export function readPanes(): Panes {
  const time = /\d\d:\d\d:\d\d\.\d\d\d/;
  return {
    atMs: figure(byId("offset").textContent, /\+([\d,]+)/),
    header: find("hold-map") === null ? { held: 0, stripped: 0, dropped: 0 } : header(),
    card: card(),
    strip: strip(),
    times: [time.exec(find("chat-source")?.textContent ?? "")?.[0] ?? "", find("clock")?.textContent ?? ""],
    chat: chat(),
    directives: all('[data-testid="directive"]').map((row) => ({ name: row.querySelector(".strong")?.textContent ?? "", stage: row.dataset["stage"] ?? "" })),
    ledger: all('[data-testid="ledger-row"]').map((row) => ({ kind: row.dataset["op"] ?? "", stage: row.dataset["stage"] ?? "" })),
  };
}
