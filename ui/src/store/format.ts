/** Numbers, sizes and times as words. One place, so that the same figure looks the same everywhere. */

const pad = (n: number, width = 2): string => String(n).padStart(width, "0");
const grouped = new Intl.NumberFormat("en-US");

/** `1,234,567`. */
export const count = (n: number): string => grouped.format(n);

/** `1 hold`, `3 holds`. */
export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

/** `14:02:31.482` in the local time zone. */
export function time(at: string): string {
  const d = new Date(at);
  return `${pad(d.getHours())}:${pad(d.getMinutes())}:${pad(d.getSeconds())}.${pad(d.getMilliseconds(), 3)}`;
}

/** `2026-11-21 14:02:31.482`, for details and tooltips. */
export function dateTime(at: string): string {
  const d = new Date(at);
  return `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())} ${time(at)}`;
}

/** `840 ms`, `1.84 s`, `2 min 5 s`, `3 h 2 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(ms < 10_000 ? 2 : 1))} s`;
  const s = Math.round(ms / 1000);
  if (s < 3600) return s % 60 ? `${Math.floor(s / 60)} min ${s % 60} s` : `${s / 60} min`;
  const min = Math.floor((s % 3600) / 60);
  return min ? `${Math.floor(s / 3600)} h ${min} min` : `${Math.floor(s / 3600)} h`;
}

/** A time that goes on, in whole seconds: what changes in every frame nobody reads. */
export const seconds = (ms: number): string => (ms < 1000 ? "< 1 s" : duration(Math.floor(ms / 1000) * 1000));

/** `+41` within a second, `+1,670` beyond: milliseconds since something, as a column shows it. */
export const offset = (ms: number): string => `+${count(Math.round(ms))}`;

/** `+41 ms`, `+1,670 ms`: when something was, in milliseconds since something else. */
export const stamp = (ms: number): string => `${offset(ms)} ms`;

/** `163 B`, `8.2 kB`, `50 MB`: decimal, as the platforms count. */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = n;
  let unit = "B";
  for (const next of units) {
    if (value < 1000) break;
    value /= 1000;
    unit = next;
  }
  return `${value >= 100 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} ${unit}`;
}

/** A sentence with its end, for another to follow. */
export const ended = (text: string): string => (/[.?!…]$/.test(text) ? text : `${text}.`);

/** A half sentence of the backend's as a whole one. Code at its beginning keeps its case. */
export const sentence = (text: string): string => ended(text.charAt(0).toUpperCase() + text.slice(1));

/** JSON with indents; as it is where it is none, or not all of it yet. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Nothing is lost: the text itself is shown.
    return text;
  }
}

/** `partial_tag` as `partial tag`: codes as words, where the code itself is not the point. */
export const words = (code: string): string => code.replaceAll("_", " ");
