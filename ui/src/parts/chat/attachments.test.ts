/** The files of a person's message, with what came of them. */
import { cleanup, render, screen } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fileFates } from "../../generated/closed";
import type { Bubble as Shown, BubbleAttachment, UnderstoodFile } from "../../generated/wire";
import { layOut } from "../../test/stage";
import Bubble from "./Bubble.svelte";
import { hasReached } from "./understood";

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

const picture: BubbleAttachment = { name: "dot.png", media_type: "image/png", bytes: 8200, fate: "given", why: "", understood: null };

it("are named with their type and size, and that the agent has them", () => {
  expect(draw([picture])).toEqual(["dot.png image/png, 8.2 kB the agent has it"]);
});

it("say why the agent does not have them", () => {
  for (const { code } of fileFates.filter(({ code }) => !hasReached(code))) {
    expect(draw([{ ...picture, bytes: null, fate: code, why: "so it is" }])).toEqual([`dot.png image/png ${code.replaceAll("_", " ")}: so it is`]);
    cleanup();
  }
});

it("show what is said in a voice message", () => {
  const voice: BubbleAttachment = { ...picture, name: "voice.ogg", media_type: "audio/ogg", fate: "transcribed" };
  const spoken: UnderstoodFile = { index: 0, name: "voice.ogg", how: "transcript", by: "", took_ms: 0, text: "Bring the <b>folder</b>", bytes: 23, cut: false, why: "" };
  expect(draw([{ ...voice, understood: spoken }])).toEqual(["voice.ogg audio/ogg, 8.2 kB transcribed “Bring the <b>folder</b>”"]);
  cleanup();
  expect(draw([{ ...voice, understood: { ...spoken, text: "", by: "whisper-1", took_ms: 1200 } }])).toEqual([
    "voice.ogg audio/ogg, 8.2 kB transcribed, without words transcript by whisper-1 in 1.2 s",
  ]);
});

it("show what a picture or a document holds, who says so, and why that is not known", () => {
  const of: UnderstoodFile = { index: 0, name: "dot.png", how: "description", by: "openai gpt-4o", took_ms: 2900, text: "A red dot", bytes: 9, cut: false, why: "" };
  expect(draw([{ ...picture, fate: "described", understood: of }])).toEqual(["dot.png image/png, 8.2 kB described description by openai gpt-4o in 2.9 s “A red dot”"]);
  expect(document.querySelector(".warn")).toBeNull();
  cleanup();
  const text: UnderstoodFile = { ...of, how: "text", by: "pdftotext", text: "Tides", bytes: 90_000, cut: true };
  expect(draw([{ ...picture, understood: text }])).toEqual(["dot.png image/png, 8.2 kB the agent has it text by pdftotext in 2.9 s, only the beginning of 90 kB “Tides”"]);
  cleanup();
  expect(draw([{ ...picture, understood: { ...text, text: null, why: "it failed" } }])).toEqual(["dot.png image/png, 8.2 kB the agent has it no text by pdftotext after 2.9 s: it failed"]);
});

it("stand there while that is open, and nothing does where there are none", () => {
  expect(draw([{ ...picture, fate: null }])).toEqual(["dot.png image/png, 8.2 kB"]);
  cleanup();
  expect(draw()).toEqual([]);
  expect(screen.queryByRole("list")).toBeNull();
});
