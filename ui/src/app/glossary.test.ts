import { cleanup, render } from "@testing-library/svelte";
import { afterEach, expect, it } from "vitest";
import Heading from "../parts/Heading.svelte";
import { actions } from "./actions";
import { glossary, meaningOf, readGlossary } from "./glossary";
import { views } from "./views";

afterEach(cleanup);

it("reads the groups and rows of a page", () => {
  const page = "# Words\n\nText.\n\n## One\n\n| word | meaning |\n|---|---|\n| hold | Kept `back`. |\n\n## Two\n\n| word | meaning |\n|---|---|\n| run | Once. |\n";
  expect(readGlossary(page)).toEqual([
    { title: "One", words: [{ word: "hold", meaning: "Kept `back`." }] },
    { title: "Two", words: [{ word: "run", meaning: "Once." }] },
  ]);
});

it("has every word once, with a sentence", () => {
  const words = glossary.flatMap(({ words: group }) => group);
  expect(words.length).toBeGreaterThan(40);
  expect(new Set(words.map(({ word }) => word)).size).toBe(words.length);
  for (const { word, meaning } of words) expect(meaning, word).toMatch(/^.+\.$/);
});

it("knows a word in the singular and the plural, and says where it has none", () => {
  expect(meaningOf("Turns")).toBe(meaningOf("turn"));
  expect(meaningOf("Hold map")).toContain("Every byte");
  expect(meaningOf("Settings")).toBeNull();
});

it("explains the views whose names are words of the field", () => {
  const unexplained = views.map(({ title }) => title).filter((title) => meaningOf(title) === null);
  expect(unexplained).toEqual(["Live", "Compose", "Settings"]);
});

it("tells the meaning of a heading's word, and marks no heading without one", () => {
  const { container } = render(Heading, { title: "Delivery ledger" });
  expect(container.querySelector("h2")?.title).toMatch(/^Delivery ledger: What was intended/);
  expect(container.querySelector("h2")?.classList).toContain("explained");
  cleanup();
  const plain = render(Heading, { title: "Chat with Alice" });
  expect(plain.container.querySelector("h2")?.classList).not.toContain("explained");
});

it("is in the palette", () => {
  expect(actions.find(({ id }) => id === "glossary")?.title).toBe("Glossary");
});
