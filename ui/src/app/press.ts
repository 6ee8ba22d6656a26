const MODIFIERS = ["Control", "Shift", "Alt", "Meta", "AltGraph"];

/** A key press as tinykeys writes it; null for a modifier alone. */
export function pressed(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">): string | null {
  const { key } = event;
  if (MODIFIERS.includes(key)) return null;
  const letter = key.length === 1 && /\p{L}/u.test(key);
  const parts: string[] = [];
  if (event.ctrlKey || event.metaKey) parts.push("$mod");
  if (event.altKey) parts.push("Alt");
  // A sign's Shift depends on the keyboard, not on the person.
  if (event.shiftKey && (letter || key.length > 1)) parts.push("Shift");
  parts.push(key === " " ? "Space" : letter ? key.toLowerCase() : key);
  return parts.join("+");
}
