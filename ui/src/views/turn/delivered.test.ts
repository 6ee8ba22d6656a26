import { expect, test } from "vitest";
import type { DeliveryRequest } from "../../generated/wire";
import { delivered } from "./model/delivered";

const request: DeliveryRequest = {
  id: "d1",
  origin: { channel: "telegram", chat: "c1", chat_type: "direct" },
  requester: { id: "alice", name: "alice", display_name: "Alice", is_bot: false },
  action: { name: "bash", command: "df -h" },
  outcome: "output",
  items: [
    { label: "stdout", text: "head", tail: "tail", bytes: 9008, omitted: [4, 9004], exit: 1 },
    { label: "stderr", text: "", bytes: 0, note: "stopped after 30 s" },
  ],
  depth: 1,
  cause: 7,
};

test("a delivery turn says what it delivers and which turn asked, and that one where it went", () => {
  expect(delivered(request)).toEqual([
    { what: "Result of bash, asked for in turn #7", text: "df -h" },
    { what: "stdout, exit status 1", text: "head\n… 9 kB left out …\ntail" },
    { what: "stderr, stopped after 30 s", text: "" },
  ]);
  expect(delivered(undefined, [{ id: "d1", turn: 8 }])).toEqual([{ what: "Result delivered in", text: "turn #8 (d1)" }]);
  expect(delivered({ ...request, outcome: "event", items: [], cause: undefined })[0]?.what).toBe("Event of bash, delivered from outside");
  expect(delivered(undefined)).toEqual([]);
});
