import { expect, it } from "vitest";
import { actions } from "./actions";
import { ranked } from "./search";

const find = (query: string): string[] => ranked(query, actions, (a) => [a.title, a.group]).map((a) => a.id);

it("puts first what begins as one types", () => {
  expect(find("cha")[0]).toBe("view.channels");
  expect(find("theme: light")[0]).toBe("theme.light");
  expect(find("next ch")[0]).toBe("turn.chunk.next");
});

it("finds by any words, in any order, and by the group", () => {
  expect(find("light theme")).toContain("theme.light");
  expect(find("fixtures all")[0]).toBe("fixtures.runAll");
});

it("finds nothing rather than anything", () => {
  expect(find("xyzzy")).toEqual([]);
  expect(find("theme xyzzy")).toEqual([]);
});

it("keeps the order of the table when nothing is typed", () => {
  expect(find("")).toEqual(actions.map((a) => a.id));
});
