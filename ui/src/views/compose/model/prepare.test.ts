import { expect, it } from "vitest";
import { markedParts, orderOf } from "./prepare";

it("marks what is taken out by its bytes", () => {
  expect(markedParts("é /think high ja", [{ span: [3, 14], text: "/think high" }])).toEqual([
    { text: "é ", stripped: false },
    { text: "/think high", stripped: true },
    { text: " ja", stripped: false },
  ]);
  expect(markedParts("plain", [])).toEqual([{ text: "plain", stripped: false }]);
});

it("leaves out what is empty", () => {
  const empty = { chat_type: "group" as const, mentioned: false, sender: " ", is_bot: false, thread: "", reply_to: "", session: "", allow_from: "" };
  expect(orderOf("slack", "hi", empty)).toEqual({ channel: "slack", user_text: "hi", context: { chat_type: "group", mentioned: false, is_bot: false } });
  expect(orderOf("slack", "hi", { ...empty, sender: "U1", allow_from: "U1, ,U2", session: "s" })).toEqual({
    channel: "slack", user_text: "hi", context: { chat_type: "group", mentioned: false, is_bot: false, sender: "U1" }, session: "s", allow_from: ["U1", "U2"],
  });
});
