/** How much of the journal Live shows. A depth is a filter joined with the person's, so counts and windows stay the backend's. */

export type Depth = "turns" | "decisions" | "everything";

export interface DepthChoice {
  readonly id: Depth;
  readonly title: string;
  readonly about: string;
}

export const depths: readonly DepthChoice[] = [
  { id: "turns", title: "Turns", about: "One row per turn" },
  { id: "decisions", title: "Decisions", about: "Every event but idle, passed and holds of white space" },
  { id: "everything", title: "Everything", about: "Every event of the journal" },
];

/** What only Everything shows: events that say that nothing happened, and holds of white space. */
export const DECISIONS = "-kind:idle,passed -reason:trailing_space";

/** The filter of the window over events. */
export function filterAt(depth: Depth, filter: string): string {
  if (depth !== "decisions") return filter;
  return filter.trim() === "" ? DECISIONS : `(${filter}) ${DECISIONS}`;
}
