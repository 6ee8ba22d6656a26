import { expect, test } from "vitest";
import type { UnderstoodFile } from "../../generated/wire";
import { toldBeside } from "./model/told";

test("what came beside a message is told row by row, with its author", () => {
  const rows = toldBeside(
    {
      quote: { id: "q1", sender: "Bob", text: "/stop" },
      location: { latitude: "1.5", longitude: "2.5", name: "Here" },
      group: { name: "Crew" },
      sender: { phone: "+1" },
    },
    [{ id: "m1", sender: "Ana", at: "2026-01-01T00:00:00.000Z", text: "lunch?" }],
  );
  expect(rows.map((row) => `${row.what}: ${row.text}`)).toEqual([
    "Answers, Bob: /stop",
    "Place: Here, 1.5, 2.5",
    "Group: Crew",
    "Sender, too: +1",
    "Group before, Ana: lunch?",
  ]);
  expect(toldBeside(undefined, [])).toEqual([]);
  const file: UnderstoodFile = { index: 0, name: "a.pdf", how: "text", by: "pdftotext", took_ms: 3, text: "tides", bytes: 90, cut: true, why: "" };
  expect(toldBeside(undefined, [], [file, { ...file, name: "b.png", how: "description", text: null, why: "it failed" }])).toEqual([
    { what: "Text of a.pdf, cut", text: "tides" },
    { what: "Shown in b.png: not known", text: "it failed" },
  ]);
});

test("what was read of a thread stands in the place of what came of it, and what was left out is counted", () => {
  const came = { thread: { starter: { text: "Where?" } } };
  const thread = { starter: { sender: "Bob", text: "Where?" }, recent: [{ text: "At noon.", sender: "foldback", own: true }] };
  expect(toldBeside(came, [], [], { thread, left_out: 2 })).toEqual([
    { what: "Thread began with, Bob", text: "Where?" },
    { what: "In the thread, the bot", text: "At noon." },
    { what: "Left out of the thread", text: "2 messages of people who may not write here" },
  ]);
  expect(toldBeside(came, [], [], { thread: {}, left_out: 0 })).toEqual([]);
  expect(toldBeside(came, [])).toEqual([{ what: "Thread began with", text: "Where?" }]);
});
