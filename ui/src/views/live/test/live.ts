/** What the tests of Live have in common. */
import { byId, layOut } from "../../../test/stage";
import type { Depth } from "../depth";

/** What an earlier window chose. */
export const choose = (depth: Depth): void => localStorage.setItem("foldback.prefs", JSON.stringify({ depth }));

/** The rows of events that are drawn. */
export const drawn = (): HTMLElement[] => [...byId("events").querySelectorAll<HTMLElement>("[data-index]")];

/** The rows of turns that are drawn. */
export const turns = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("[data-testid='turn']")];

/** A page in which Live shows everything. */
export function showEverything(): void {
  layOut();
  choose("everything");
}
