import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { byId, click, layOut, press, settle } from "../../test/stage";
import { all, editor, open, write } from "./test/stage";

beforeEach(layOut);
afterEach(cleanup);

const typed = async (text: string): Promise<void> => {
  write("compose-user", text);
  editor("compose-user").dispatch({ selection: { anchor: text.length } });
  await settle();
};
const content = (): Element => byId("compose-user").querySelector(".cm-content") as Element;
const written = (): string => editor("compose-user").state.doc.toString();

describe("commands in the user message", () => {
  it("are offered as one types, and Tab writes the first out", async () => {
    await open();
    await typed("/st");
    expect([...byId("compose-commands").querySelectorAll("button")].map((b) => b.querySelector(".mono")?.textContent)).toEqual(["/status", "/stop"]);
    await press(content(), "Tab");
    expect(written()).toBe("/status ");
    expect(all("compose-commands")).toHaveLength(0);
  });

  it("are chosen with Up and Down, which else go where they go everywhere", async () => {
    await open();
    await typed("/st");
    const chosen = (): string | null | undefined => byId("compose-commands").querySelector("[aria-current='true'] .mono")?.textContent;
    expect(chosen()).toBe("/status");
    await press(content(), "ArrowDown");
    expect(chosen()).toBe("/stop");
    await press(content(), "ArrowDown");
    await press(content(), "ArrowUp");
    expect(chosen()).toBe("/stop");
    await press(content(), "Tab");
    expect(written()).toBe("/stop ");
  });

  it("can be clicked, and are no matter of plain words", async () => {
    await open();
    await typed("hello");
    expect(all("compose-commands")).toHaveLength(0);
    await typed("/st");
    await click(byId("compose-commands").querySelectorAll("button")[1] as Element);
    expect(written()).toBe("/stop ");
  });
});
