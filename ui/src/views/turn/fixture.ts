/** A fixture that plays a turn again, opened where fixtures are looked at. */
import type { TurnId } from "../../generated/wire";
import type { Console } from "../../state/console.svelte";

/** Where the Fixtures view finds a fixture that is not stored yet. */
export const DRAFT_KEY = "foldback.fixtures.draft";

/** Makes the fixture and goes to the Fixtures view with it. A failure is told as a toast. */
export async function openFixture(console: Console, turn: TurnId): Promise<void> {
  const draft = await console.try("fixture_from_turn", { turn });
  if (draft === undefined) return;
  sessionStorage.setItem(DRAFT_KEY, JSON.stringify(draft));
  console.go("fixtures");
}
