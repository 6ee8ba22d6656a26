/**
 * Where the cursor stands in JSON that is being written and may hold actions. It serves completion only, for a text that
 * is not whole yet: what an action is, the backend says once it can be read.
 */

/** A place at which something can be offered. The range is what an offer replaces. */
export type Place = { readonly from: number; readonly to: number } & (
  | { readonly at: "action" }
  | { readonly at: "name" }
  | { readonly at: "key"; readonly action: string; readonly written: readonly string[] }
  | { readonly at: "value"; readonly action: string; readonly key: string }
);

/** Most places before the cursor at which a value is tried, and most characters that are read of each. */
const MOST_TRIES = 32;
const MOST_READ = 65_536;

interface Frame {
  readonly kind: "{" | "[";
  readonly from: number;
  /** The key that is given or was given last. */
  key: string | null;
  readonly keys: string[];
  /** The name of the action, where this is one. */
  type: string | null;
}

type Awaits = "key" | "colon" | "value" | "comma";

/** The beginning of a value up to the cursor. */
interface Written {
  readonly frames: readonly Frame[];
  readonly awaits: Awaits;
  /** Where the word before the cursor begins, with its quote; the cursor where none does. */
  readonly from: number;
}

/** The place of the cursor; `null` where nothing can be offered. */
export function placeOf(text: string, cursor: number): Place | null {
  const before = text.slice(Math.max(0, cursor - MOST_READ), cursor);
  const base = cursor - before.length;
  // The innermost value that is one by itself counts: those around it hold it as an item.
  const starts = [...before.matchAll(/(?<=^|\n)[ \t]*(?=\{)/g)].map(({ index, 0: blank }) => index + blank.length);
  for (const start of starts.reverse().slice(0, MOST_TRIES)) {
    const written = read(before, start);
    const place = written === null ? null : understood(written, base, text, cursor);
    if (place !== null) return place;
  }
  return null;
}

/** Reads a value from its first brace to the end of the text; `null` where it ends before, or is no JSON. */
function read(text: string, start: number): Written | null {
  const frames: Frame[] = [];
  let awaits: Awaits = "value";
  let at = start;
  while (at < text.length) {
    const c = text[at] as string;
    const top = frames[frames.length - 1];
    if (/\s/.test(c)) at += 1;
    else if (c === '"') {
      const end = endOfString(text, at);
      if (end === null) return awaits === "key" || awaits === "value" ? { frames, awaits, from: at } : null;
      const string = stringOf(text.slice(at, end));
      if (string === null || top === undefined) return null;
      if (awaits === "key") {
        top.key = string;
        top.keys.push(string);
        awaits = "colon";
      } else if (awaits === "value") {
        if (top.kind === "{" && top.key === "type") top.type = string;
        awaits = "comma";
      } else return null;
      at = end;
    } else if (c === "{" || c === "[") {
      if (awaits !== "value") return null;
      frames.push({ kind: c, from: at, key: null, keys: [], type: null });
      awaits = c === "{" ? "key" : "value";
      at += 1;
    } else if (c === "}" || c === "]") {
      if (top === undefined || (c === "}") !== (top.kind === "{")) return null;
      frames.pop();
      if (frames.length === 0) return null;
      awaits = "comma";
      at += 1;
    } else if (c === "," && awaits === "comma" && top !== undefined) {
      awaits = top.kind === "{" ? "key" : "value";
      at += 1;
    } else if (c === ":" && awaits === "colon") {
      awaits = "value";
      at += 1;
    } else {
      const word = /^[\w.+-]+/.exec(text.slice(at))?.[0];
      if (word === undefined || (awaits !== "value" && awaits !== "key")) return null;
      if (at + word.length === text.length) return { frames, awaits, from: at };
      if (awaits === "key") return null;
      awaits = "comma";
      at += word.length;
    }
  }
  return frames.length === 0 ? null : { frames, awaits, from: text.length };
}

/** What can be offered there, if that value holds actions. */
function understood({ frames, awaits, from }: Written, base: number, text: string, cursor: number): Place | null {
  const [root, list] = frames;
  if (root === undefined || awaits === "colon" || awaits === "comma") return null;
  const range = { from: base + from, to: cursor + rest(text, base + from, cursor) };
  const first = root.keys[0];
  if (first === undefined) {
    // Nothing but the brace, or the beginning of a first key that actions have.
    const word = text.slice(range.from, cursor);
    const fits = ['"type"', '"actions"'].some((key) => key.startsWith(word));
    return fits && frames.length === 1 ? { at: "action", from: base + root.from, to: range.to } : null;
  }
  const listed = first === "actions" && root.key === "actions" && list?.kind === "[";
  if (!listed && first !== "type") return null;
  const inside = listed ? frames.slice(2) : frames;
  const [action, payload] = inside;
  if (action === undefined) return awaits === "value" ? { at: "action", ...range } : null;
  if (action.kind !== "{") return null;
  if (inside.length === 1) {
    if (awaits === "value") return action.key === "type" ? { at: "name", ...range } : null;
    return action.keys.length === 0 ? { at: "action", from: base + action.from, to: range.to } : null;
  }
  if (inside.length > 2 || payload?.kind !== "{" || action.key !== "payload" || action.type === null) return null;
  if (awaits === "key") return { at: "key", action: action.type, written: payload.keys, ...range };
  return payload.key === null ? null : { at: "value", action: action.type, key: payload.key, ...range };
}

/** How much of the word under the cursor stands behind it: of a string to its end, where it is one word. */
function rest(text: string, from: number, cursor: number): number {
  if (text[from] !== '"') return 0;
  return /^[\w-]*"/.exec(text.slice(cursor, cursor + 256))?.[0].length ?? 0;
}

function endOfString(text: string, start: number): number | null {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
    else if (text[at] === "\n") return null;
  }
  return null;
}

function stringOf(quoted: string): string | null {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return null;
  }
}
