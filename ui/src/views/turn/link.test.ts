import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it } from "vitest";
import demo from "../../../recordings/demo";
import { byId, calls, layOut, press, settle, stage } from "../../test/stage";
import { SampleHost } from "./test/host";
import TurnView from "./TurnView.svelte";

beforeEach(layOut);
afterEach(cleanup);

it("stands at the moment that a link names, and writes the link to where one stands", async () => {
  const copied: string[] = [];
  Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: (text: string) => (copied.push(text), Promise.resolve()) } });
  const host = new SampleHost({ ...demo, calls: [{ name: "link_write", result: { link: "foldback://turn/812@+631ms" } }, ...demo.calls] });
  const { console } = await stage(TurnView, undefined, undefined, host);
  console.openMoment(812, 631);
  await settle();
  expect(byId("chat-pane").textContent).toContain("#812");
  await press(byId("raw-text"), "l");
  expect(calls(host, "link_write")).toEqual([{ turn: 812, at_ms: 631, file: null }]);
  expect(copied).toEqual(["foldback://turn/812@+631ms"]);
  // A second link into the turn that is open moves the cursor, and its end needs no moment.
  console.openMoment(812, 40);
  await settle();
  await press(byId("raw-text"), "l");
  await press(byId("raw-text"), "End");
  await press(byId("raw-text"), "l");
  expect(calls(host, "link_write").slice(1)).toEqual([{ turn: 812, at_ms: 40, file: null }, { turn: 812, at_ms: null, file: null }]);
});
