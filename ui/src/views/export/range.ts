const two = (part: number): string => String(part).padStart(2, "0");

/** A moment as a field for date and time takes it: local, to the minute. */
export function localMinute(ms: number): string {
  const at = new Date(ms);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** What such a field holds, as a timestamp; null where it is empty or no moment. */
export function momentOf(field: string): string | null {
  const ms = new Date(field).getTime();
  return field === "" || Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
