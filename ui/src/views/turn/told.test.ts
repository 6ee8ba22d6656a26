import { expect, test } from "vitest";
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
});
