/** What the window draws of the golden previews in fixtures/previews, which the backend's own test holds to what is sent. */
import { cleanup, render } from "@testing-library/svelte";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChannelPreview, Ink, Ruler, Shown } from "../../generated/wire";
import { layOut } from "../../test/stage";
import ChatPreview from "./ChatPreview.svelte";
import { cutWords, fullness, growthOf, messageWords, segmentsOf, signed } from "./ruler";

interface Golden {
  readonly previews: readonly ChannelPreview[];
  readonly rulers: readonly Ruler[];
}

const folder = "../fixtures/previews";
const names = readdirSync(folder).filter((name) => name.endsWith(".json")).sort();
const golden = (name: string): Golden => JSON.parse(readFileSync(join(folder, name), "utf8")) as Golden;
const on = ({ previews, rulers }: Golden, channel: string): { preview: ChannelPreview; ruler: Ruler } => {
  const [preview, ruler] = [previews.find((p) => p.channel === channel), rulers.find((r) => r.channel === channel)];
  if (preview === undefined || ruler === undefined) throw new Error(`nothing is recorded of ${channel}`);
  return { preview, ruler };
};

beforeEach(layOut);
afterEach(cleanup);

const draw = (preview: ChannelPreview, ruler: Ruler | null = null, raw = false): HTMLElement => render(ChatPreview, { props: { preview, ruler, raw } }).container;
const lettersOf = (inks: readonly Ink[]): string => inks.map((ink) => ink.text).join("");
const wordsOf = (block: Shown): string => (block.block === "code" ? (block.language ?? "") + block.text : lettersOf(block.inks));

describe("a golden preview", () => {
  it("exists for every text, on the same channels", () => {
    const texts = readdirSync(folder).filter((name) => name.endsWith(".md")).map((name) => name.replace(".md", ".json"));
    expect(names).toEqual(texts.sort());
    expect(names.length).toBeGreaterThanOrEqual(12);
    const channels = (name: string): string[] => golden(name).previews.map((p) => p.channel).sort();
    const all = channels(names[0] ?? "");
    expect(all).toEqual(expect.arrayContaining(["discord", "signal", "slack", "telegram", "whatsapp"]));
    for (const name of names) expect(channels(name)).toEqual(all);
  });

  it.each(names)("%s is drawn letter by letter, and nothing else is", (name) => {
    for (const preview of golden(name).previews) {
      const root = draw(preview);
      const bubbles = [...root.querySelectorAll<HTMLElement>("[data-testid='bubble']")];
      expect(bubbles).toHaveLength(preview.bubbles.length);
      bubbles.forEach((drawn, index) => {
        const bubble = preview.bubbles[index];
        const rendering = bubble?.part.part === "text" ? bubble.part.rendering : bubble?.part.part === "file" ? bubble.part.file.rendering : undefined;
        const blocks = drawn.querySelectorAll("[data-testid='shown'] > *");
        expect([...blocks].map((block) => block.textContent)).toEqual(rendering?.shown.map(wordsOf) ?? []);
        // Whatever an agent writes, it is text: no element of its own, and nothing that could be followed.
        expect(drawn.querySelectorAll("script, img, a, iframe, [onerror], [href], [src]")).toHaveLength(0);
        if (bubble?.part.part === "text" && rendering === undefined) expect(drawn.textContent).toContain(bubble.part.text);
      });
      cleanup();
    }
  });
});

describe("a preview", () => {
  it("has the look of its platform: bold, code, a quotation, a link that only tells", () => {
    const telegram = draw(on(golden("emphasis.json"), "telegram").preview);
    const looks = [...telegram.querySelectorAll("[data-testid='shown'] span")].filter((s) => /bold|italic/.test(s.className)).map((s) => [s.classList[0], s.textContent]);
    expect(looks.slice(0, 3)).toEqual([["bold", "bold"], ["italic", "italic"], ["italic", "both"]]);
    const discord = draw(on(golden("code.json"), "discord").preview);
    expect(discord.querySelector("pre")?.dataset["language"]).toBe("rust");
    const slack = draw(on(golden("links.json"), "slack").preview);
    expect(slack.querySelector<HTMLElement>(".link")?.title).toBe("https://example.org/a_b?c=1&d=2");
    expect(draw(on(golden("quote.json"), "whatsapp").preview).querySelector(".quoted")?.textContent).toContain("The first line");
  });

  it("shows the markup itself when it is asked for", () => {
    const telegram = draw(on(golden("emphasis.json"), "telegram").preview, null, true);
    expect(telegram.textContent).toContain("this <i>italic</i>");
    expect(telegram.querySelector("[data-testid='shown']")).toBeNull();
    const signal = draw(on(golden("emphasis.json"), "signal").preview, null, true);
    expect(signal.textContent).toContain("This is bold, this italic");
  });

  it("has the reaction in the form that is sent, and the quotation of a reply", () => {
    const reactions = golden("reactions.json");
    expect(draw(on(reactions, "slack").preview).querySelector("[data-from='user']")?.textContent).toMatch(/👍thumbsup.*🚀rocket/);
    expect(draw(on(reactions, "telegram").preview).textContent).toMatch(/🚀🔥.*no 🚀; 🔥 is the nearest/s);
    expect(draw(on(golden("reply.json"), "discord").preview).querySelector(".quote")?.textContent).toBe("How was my talk?");
  });

  it("says between two messages where they were cut, and how full each is", () => {
    const { preview, ruler } = on(golden("split.json"), "discord");
    const root = draw(preview, ruler);
    const cuts = [...root.querySelectorAll("[data-testid='split']")].map((cut) => cut.textContent);
    expect(cuts).toEqual(ruler.messages.flatMap((m) => (m.cut === null ? [] : [cutWords(m.cut)])));
    expect(cuts.length).toBeGreaterThan(1);
    const texts = preview.bubbles.filter((b) => b.from_bot);
    expect([...root.querySelectorAll(".meta .mono")].map((m) => m.textContent)).toEqual(texts.map((b) => `${b.length.toLocaleString("en-US")} / 2,000`));
  });
});

describe("a ruler", () => {
  it("adds up: what was written, every step, what counts", () => {
    for (const name of names)
      for (const ruler of golden(name).rulers) {
        const { written, steps, counts } = growthOf(ruler);
        expect(steps.reduce((n, step) => n + step.units, written), `${name} on ${ruler.channel}`).toBe(counts);
        for (const message of ruler.messages) expect(segmentsOf(message, ruler).reduce((n, s) => n + s.units, 0)).toBe(message.counts);
      }
  });

  it("names what makes a text longer", () => {
    const slack = growthOf(on(golden("escapes.json"), "slack").ruler);
    expect(slack.steps.map((s) => s.key)).toContain("escapes");
    const telegram = growthOf(on(golden("escapes.json"), "telegram").ruler);
    expect(telegram.steps.map((s) => s.key)).not.toContain("escapes");
    expect(telegram.free).toBeGreaterThan(0);
    expect(growthOf(on(golden("split.json"), "discord").ruler).steps.find((s) => s.key === "fences")?.units).toBeGreaterThan(0);
  });

  it("warns before the end and calls what is over it too long", () => {
    expect([fullness(1800, 2000), fullness(1801, 2000), fullness(2000, 2000), fullness(2001, 2000)]).toEqual(["ok", "warn", "warn", "danger"]);
    expect([signed(3), signed(-1200)]).toEqual(["+3", "−1,200"]);
    const message = { span: null, written: 9, opened: 0, closed: 4, shown: 10, markup: 2, escapes: 3, counts: 15, cut: null, begins: "", ends: "" };
    expect(messageWords(message, { free_markup: false, limit: 20, unit: "scalars" })).toBe(
      "15 of 20 characters: 10 to read, 2 markup, 3 by escaping. Written: 9, 4 put in at cuts.",
    );
  });
});
