import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ActionRefusalCode, Composed } from "../../generated/wire";
import type { Args, CommandName, Result } from "../../host/host";
import { byId, calls, click, layOut, press, settle } from "../../test/stage";
import { SampleHost } from "../turn/test/host";
import { all, editor, open } from "./test/stage";

beforeEach(layOut);
afterEach(cleanup);

/** Types at the end of the output, as a person does. */
async function typed(text: string): Promise<void> {
  const view = editor("compose-output");
  const { length } = view.state.doc;
  view.dispatch({ changes: { from: 0, to: length, insert: text }, selection: { anchor: text.length }, userEvent: "input.type" });
  await settle();
}
const content = (): Element => byId("compose-output").querySelector(".cm-content") as Element;
const written = (): string => editor("compose-output").state.doc.toString();
const offers = (): (string | null | undefined)[] => all("compose-actions").flatMap((list) => [...list.querySelectorAll("button")].map((b) => b.querySelector(".mono")?.textContent));

describe("actions in the agent's output", () => {
  it("are written with Tab alone: the action, then its keys and values", async () => {
    await open();
    await typed("Sure.\n{");
    expect(offers()).toEqual(["bash", "event_list", "light"]);
    await press(content(), "Tab");
    expect(written()).toBe('Sure.\n{"type":"bash","payload":{"command":""}}');
    expect(editor("compose-output").state.selection.main.head).toBe(written().indexOf('""') + 1);
    await typed('{"type":"bash","payload":{"command":"df",');
    expect(offers()).toEqual(["timeout", "quiet"]);
    await press(content(), "ArrowDown");
    await press(content(), "Tab");
    expect(written()).toMatch(/"quiet":$/);
    expect(offers()).toEqual(["true", "false"]);
    await press(content(), "Tab");
    expect(written()).toMatch(/"quiet":true$/);
    expect(offers()).toEqual([]);
  });

  it("are offered while one types: not where the cursor only goes, and no more after Escape", async () => {
    await open();
    await typed('{"type":"');
    expect(offers()).toHaveLength(3);
    await press(content(), "Escape");
    expect(offers()).toEqual([]);
    await press(content(), " ", { ctrlKey: true, code: "Space" });
    expect(offers()).toHaveLength(3);
    editor("compose-output").dispatch({ selection: { anchor: 1 } });
    await settle();
    expect(offers()).toEqual([]);
  });

  it("can be clicked, and inserted from the menu on a line of their own", async () => {
    await open();
    await typed('{"type":"');
    await click(byId("compose-actions").querySelectorAll("button")[1] as Element);
    expect(written()).toBe('{"type":"event_list"');
  });
});

/** A backend that says of each channel what would come of one action. */
class ActingHost extends SampleHost {
  override async call<C extends CommandName>(name: C, args: Args<C>): Promise<Result<C>> {
    const answer = await super.call(name, args);
    if (name !== "compose") return answer;
    const span: [number, number] = [0, 1];
    const action = (outcome: "carried_out" | "asked_first" | "refused", command: string | null, why: string, setting: string | null, refusal: ActionRefusalCode | null = null) => ({ name: "bash", command, span, outcome, refusal, why, setting });
    const composed = answer as Composed;
    const lints: Composed["lints"] = [
      {
        diagnostic: { code: "action-confirmed", severity: "note", span, message: "`bash` waits for a confirmation: no list of bash allows it", fix: null },
        line: 1, column: 1, end_line: 1, end_column: 2, explanation: "The action waits.",
      },
    ];
    return {
      ...composed,
      lints,
      actions: [
        {
          channel: "telegram", sender: "console",
          actions: [action("carried_out", "uptime", "", null), action("asked_first", "df -h", "no list of bash allows it", null), action("refused", "rm -r /", "the command is on the list", "actions.bash.deny", "denied"), action("refused", "df", "nothing is carried out", "channels.telegram.armed", "dry_run")],
        },
      ],
    } as Result<C>;
  }
}

describe("the outcome of actions", () => {
  it("stands under the preview of each channel, with reason and setting", async () => {
    await open(new ActingHost());
    await settle();
    const told = (row: HTMLElement): (string | null | undefined)[] => [row.dataset["outcome"], row.querySelector("[data-tone]")?.textContent, row.querySelector(".command")?.textContent, ...[...row.querySelectorAll(".why")].map((why) => why.textContent)];
    expect(all("action-outcome").map(told)).toEqual([
      ["carried_out", "carried out", "uptime"],
      ["asked_first", "asked first", "df -h", "no list of bash allows it"],
      ["refused", "refused", "rm -r /", "the command is on the list", "Setting: actions.bash.deny"],
      ["refused", "refused: dry run", "df", "nothing is carried out", "Setting: channels.telegram.armed"],
    ]);
    expect(byId("action-outcomes").textContent).toContain("Sender: console");
    await click(all("action-outcome")[1] as HTMLElement);
    expect(editor("compose-output").state.selection.main).toMatchObject({ from: 0, to: 1 });
  });

  it("is asked for again when a channel is armed, or a message is to be a dry run", async () => {
    const { console, host } = await open();
    const asked = (): unknown[] => calls(host, "compose").map((args) => (args as { dry_run?: string[] }).dry_run);
    expect(asked().at(-1)).toContain("telegram");
    const card = console.channel("telegram");
    if (card === undefined) throw new Error("no telegram");
    const before = asked().length;
    console.updateChannel({ ...card, state: card.state === "up" ? "down" : "up" });
    await settle();
    expect(asked().length, "what else a channel tells changes nothing").toBe(before);
    console.updateChannel({ ...card, armed: true });
    await settle();
    expect(asked().length).toBe(before + 1);
    await click(byId("choose-telegram"));
    await click(byId("compose-dry"));
    expect([asked().length, asked().at(-1)]).toEqual([before + 2, []]);
  });

  it("counts notes among the findings, as what they are", async () => {
    await open(new ActingHost());
    await settle();
    expect(all("lint").map((lint) => [lint.dataset["code"], lint.classList.contains("note")])).toEqual([["action-confirmed", true]]);
    expect(byId("compose-results").textContent).toContain("0 errors, 0 warnings, 1 note");
  });
});
