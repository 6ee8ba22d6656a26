/** The files of a person's message, with what came of them. */
import { cleanup, render, screen } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fileFates } from "../../generated/closed";
import type { Bubble as Shown, BubbleAttachment } from "../../generated/wire";
import { layOut } from "../../test/stage";
import Bubble from "./Bubble.svelte";

beforeEach(layOut);
afterEach(cleanup);

const draw = (attachments?: BubbleAttachment[]): string[] => {
  const bubble: Shown = {
    message: "m1", from_bot: false, author: "Ana", quote: null, part: { part: "text", text: "look" },
    reactions: [], edits: 0, deleted: false, length: 4, limit: 4096, ...(attachments && { attachments }),
  };
  render(Bubble, { props: { bubble } });
  return screen.queryAllByTestId("attachment").map((item) => item.textContent.replace(/\s+/g, " ").trim());
};

const picture: BubbleAttachment = { name: "dot.png", media_type: "image/png", bytes: 8200, fate: "given", why: "", heard: null };

it("are named with their type and size, and that the agent has them", () => {
  expect(draw([picture])).toEqual(["dot.png image/png, 8.2 kB the agent has it"]);
});

it("say why the agent does not have them", () => {
  for (const { code } of fileFates.filter(({ code }) => code !== "given" && code !== "transcribed")) {
    expect(draw([{ ...picture, bytes: null, fate: code, why: "so it is" }])).toEqual([`dot.png image/png ${code.replaceAll("_", " ")}: so it is`]);
    cleanup();
  }
});

it("show what is said in a voice message", () => {
  const voice: BubbleAttachment = { ...picture, name: "voice.ogg", media_type: "audio/ogg", fate: "transcribed" };
  expect(draw([{ ...voice, heard: "Bring the <b>folder</b>" }])).toEqual(["voice.ogg audio/ogg, 8.2 kB transcribed “Bring the <b>folder</b>”"]);
  cleanup();
  expect(draw([{ ...voice, heard: "" }])).toEqual(["voice.ogg audio/ogg, 8.2 kB transcribed, without words"]);
});

it("stand there while that is open, and nothing does where there are none", () => {
  expect(draw([{ ...picture, fate: null }])).toEqual(["dot.png image/png, 8.2 kB"]);
  cleanup();
  expect(draw()).toEqual([]);
  expect(screen.queryByRole("list")).toBeNull();
});
