import { expect, test } from "vitest";
import type { DeliveryRequest } from "../../generated/wire";
import { cameOf, endOf, factsOf, leftOut } from "./model/chain";

const request: DeliveryRequest = {
  id: "d-1",
  origin: { channel: "telegram", chat: "1", chat_type: "direct", message: "m1" },
  requester: { id: "4411", name: "alice", display_name: "Alice", is_bot: false },
  action: { name: "bash", command: "df -h" },
  outcome: "output",
  depth: 1,
  cause: 12,
};

test("a delivery says what was carried out, for whom, and how far its chain has come", () => {
  expect(cameOf(request)).toBe("the output of bash");
  expect(cameOf({ ...request, outcome: "error" })).toBe("an error of bash");
  expect(factsOf(request).map((fact) => `${fact.what}: ${fact.text}`)).toEqual(["Action: bash", "Command: df -h", "Requester: Alice (4411)", "Depth: delivery 1 of one message"]);
  const more = factsOf({ ...request, corrections: 1, items_omitted: 2, action: { name: "bash" }, requester: { ...request.requester, display_name: "" } });
  expect(more.map((fact) => fact.text)).toEqual(["bash", "4411", "delivery 1 of one message", "1 correction left", "2 items"]);
});

test("an item says how it ended, and a cut one how much is left out of it", () => {
  const item = { label: "stdout", text: "a", bytes: 9000 };
  expect(leftOut(item)).toBeNull();
  expect(leftOut({ ...item, omitted: [4096, 8192] })).toBe("4.1 kB left out");
  expect(endOf({ ...item, exit: 1, note: "stopped after 30 s" })).toBe("exit 1 · stopped after 30 s · 9 kB");
  expect(endOf({ ...item, bytes: 0 })).toBe("0 B");
});
