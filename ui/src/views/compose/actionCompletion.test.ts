import { describe, expect, it } from "vitest";
import { actions } from "../turn/test/host";
import { gap, offeredActions, type Offer } from "./actionCompletion";

/** What is offered where `|` stands. */
function at(marked: string): { offers: readonly Offer[]; text: string } {
  const cursor = marked.indexOf("|");
  const text = marked.replace("|", "");
  return { offers: offeredActions(actions, text, cursor), text };
}
const codes = (marked: string): string[] => at(marked).offers.map(({ code }) => code);

/** The text once an offer is taken, with `|` where the cursor stands then. */
function taken(marked: string, code: string): string {
  const { offers, text } = at(marked);
  const offer = offers.find((other) => other.code === code);
  if (offer === undefined) throw new Error(`${code} is not offered in ${marked}, but ${offers.map((o) => o.code).join(", ")}`);
  const { from, to, insert, cursor } = offer;
  return `${text.slice(0, from)}${insert.slice(0, cursor)}|${insert.slice(cursor)}${text.slice(to)}`;
}

const ALL = ["bash", "event_list", "light"];

describe("completion of JSON actions", () => {
  it("offers a whole action where one can begin", () => {
    for (const marked of ["{|", 'Sure.\n{"|', 'Sure.\n{"ty|', '{"act|', '```json\n{ |', '{"actions":[|', '{"actions":[{"type":"bash","payload":{}}, |', '{"actions":[\n  {"|'])
      expect(codes(marked), marked).toEqual(ALL);
    expect(taken("Sure.\n{|", "bash")).toBe('Sure.\n{"type":"bash","payload":{"command":"|"}}');
    expect(taken('{"actions":[{|]}', "event_list")).toBe('{"actions":[{"type":"event_list","payload":{|}}]}');
  });

  it("offers names behind type, with what is off said", () => {
    expect(codes('{"type":|')).toEqual(ALL);
    expect(codes('{"type": "|')).toEqual(ALL);
    expect(codes('{"type":"EV|')).toEqual(["event_list"]);
    expect(codes('{"actions":[{"payload":{},"type":"b|')).toEqual(["bash"]);
    expect(taken('{"type":"b|', "bash")).toBe('{"type":"bash"|');
    expect(taken('{"type":"b|sah","payload":{}}', "bash")).toBe('{"type":"bash"|,"payload":{}}');
    expect(at('{"type":"|').offers.map(({ note }) => note)).toEqual(["", "", "off"]);
  });

  it("offers the keys of the payload that are not written, required ones first", () => {
    expect(codes('{"type":"bash","payload":{|')).toEqual(["command", "timeout", "quiet"]);
    expect(at('{"type":"bash","payload":{|').offers.map(({ note }) => note)).toEqual(["required", "integer", "boolean"]);
    expect(codes('{"type":"bash","payload":{"command":"df","|')).toEqual(["timeout", "quiet"]);
    expect(codes('{"type":"bash","payload":{"command":"a \\" { b",\n  "t|')).toEqual(["timeout"]);
    expect(taken('{"type":"bash","payload":{|', "command")).toBe('{"type":"bash","payload":{"command":"|"');
    expect(taken('{"type":"bash","payload":{"ti|', "timeout")).toBe('{"type":"bash","payload":{"timeout":|');
    expect(taken('{"type":"bash","payload":{"ti|":3}}', "timeout")).toBe('{"type":"bash","payload":{"timeout"|:3}}');
  });

  it("offers the values of a key that takes only some", () => {
    expect(codes('{"type":"light","payload":{"colour":|')).toEqual(['"blue"', '"deep_red"']);
    expect(codes('{"type":"light","payload":{"colour": "d|')).toEqual(['"deep_red"']);
    expect(taken('{"type":"light","payload":{"colour":"d|"}}', '"deep_red"')).toBe('{"type":"light","payload":{"colour":"deep_red"|}}');
    expect(codes('{"type":"bash","payload":{"quiet":|')).toEqual(["true", "false"]);
    expect(codes('{"type":"bash","payload":{"quiet":f|')).toEqual(["false"]);
  });

  it("offers nothing where no action is written, and nothing that is written out", () => {
    for (const marked of [
      "|", "Hello {|", "text\n{ x|", '{"type":"object","properties":{|', '{"name":"|', '{"system_message":{"type":"|', '{"type":"bash"|', '{"type":"bash","payload":{"command":"|', '{"type":"bash","payload":{"command":"df"}}|',
      '{"type":"bash","payload":{"command":{"|', '{"type":"light"|,"payload":{}}', '{"type":"event_list|"', '{"type":"nothing","payload":{|', '{"type":"bash",|', "{\n\n}\n|",
    ])
      expect(codes(marked), marked).toEqual([]);
  });

  it("reads no further back than it has to", () => {
    const long = `${"{\n".repeat(20_000)}{"type":"|`;
    expect(codes(long)).toEqual(ALL);
  });

  it("puts the cursor where there is something to fill in", () => {
    expect(actions.map(({ template }) => template.slice(gap(template)))).toEqual(['"}}', "}}", ""]);
  });
});
