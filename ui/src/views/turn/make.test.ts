import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import demo from "../../../recordings/demo";
import type { FixtureText } from "../../generated/wire";
import { byId, calls, layOut, press, settle, stage } from "../../test/stage";
import MakeFixture from "./MakeFixture.svelte";

beforeEach(layOut);
afterEach(cleanup);

/** The dialog, and what gives it its draft. */
async function open(): Promise<Awaited<ReturnType<typeof stage>> & { draft: () => Promise<void>; onclose: ReturnType<typeof vi.fn> }> {
  let answer: (draft: FixtureText) => void = () => undefined;
  const onclose = vi.fn();
  const load = (): Promise<FixtureText> => new Promise((resolve) => (answer = resolve));
  const window = await stage(MakeFixture, { open: true, about: "It replays turn #812.", load, onclose }, { ...demo, pushes: [] });
  const draft = async (): Promise<void> => {
    answer({ path: "made/turn-812.yaml", text: "name: Turn 812\n" });
    await settle();
  };
  return { ...window, draft, onclose };
}

it("does not offer Cancel to the keyboard while the draft is awaited, and then its name", async () => {
  const { draft, onclose } = await open();
  const dialog = byId("make-fixture-dialog");
  expect(dialog.contains(document.activeElement)).toBe(true);
  expect(document.activeElement?.tagName).not.toBe("BUTTON");
  await press(document.activeElement as Element, "a");
  await press(document.activeElement as Element, "Enter");
  await draft();
  expect(onclose).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(byId("make-fixture-path"));
});

it("saves with Ctrl+S from within its editor, and names what it saved", async () => {
  const { host, console, draft, onclose } = await open();
  await draft();
  const content = byId("make-fixture-text").querySelector(".cm-content") as HTMLElement;
  await press(content, "s", { ctrlKey: true });
  expect(calls(host, "fixture_write")).toEqual([{ path: "made/turn-812.yaml", text: "name: Turn 812\n" }]);
  expect(onclose).toHaveBeenCalledTimes(1);
  expect([console.view, console.fixtures.asked]).toEqual(["fixtures", "made/turn-812.yaml"]);
  expect(byId("toast").textContent).toContain("Saved made/turn-812.yaml.");
});
