import { beforeEach, describe, expect, it, vi } from "vitest";
import { actions } from "./actions";
import { pressed } from "./press";
import { ActionRegistry, keyLabel } from "./registry";

let registry: ActionRegistry;

beforeEach(() => {
  document.body.innerHTML = `<input id="text"><div data-list><span id="row" tabindex="0"></span><button id="button"></button></div><p id="page" tabindex="0"></p>`;
  registry = new ActionRegistry();
});

/** Presses a key on an element, as a keyboard does. */
function press(id: string, key: string, modifiers: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...modifiers });
  document.getElementById(id)?.dispatchEvent(event);
  registry.handle(event);
  return event;
}

describe("keys in a dialog", () => {
  beforeEach(() => {
    document.body.innerHTML += `<div role="dialog"><button id="answer"></button><div data-list><span id="inside" tabindex="0"></span></div></div>`;
  });

  it("do nothing to what is behind it, with a modifier or without", () => {
    const behind = vi.fn();
    registry.bind({ "view.turn": behind, "filter.focus": behind, "compose.send": behind, "pane.next": behind, "selection.back": behind, "turn.why": behind });
    press("answer", "2");
    press("answer", "/");
    press("answer", "Enter", { ctrlKey: true });
    press("answer", "F6");
    press("answer", "ArrowLeft", { altKey: true });
    press("answer", "y");
    expect(behind).not.toHaveBeenCalled();
  });

  it("are those of the window, and of a list in it", () => {
    const [zoom, save, next] = [vi.fn(), vi.fn(), vi.fn()];
    registry.bind({ "zoom.in": zoom, "fixtures.save": save, "list.next": next });
    press("answer", "=", { ctrlKey: true });
    press("answer", "s", { ctrlKey: true });
    press("inside", "j");
    expect([zoom, save, next].map((run) => run.mock.calls.length)).toEqual([1, 1, 1]);
  });
});

describe("keys", () => {
  it("act by letter only inside a list", () => {
    const next = vi.fn();
    registry.bind({ "list.next": next });
    press("page", "j");
    press("text", "j");
    expect(next).not.toHaveBeenCalled();
    expect(press("row", "j").defaultPrevented).toBe(true);
    expect(next).toHaveBeenCalledTimes(1);
  });

  it("do not disturb typing unless they have a modifier", () => {
    const [filter, palette] = [vi.fn(), vi.fn()];
    registry.bind({ "filter.focus": filter, palette });
    press("text", "/");
    press("text", "k", { ctrlKey: true });
    expect(filter).not.toHaveBeenCalled();
    expect(palette).toHaveBeenCalledTimes(1);
    press("page", "/");
    expect(filter).toHaveBeenCalledTimes(1);
  });

  it("know signs with and without Shift, as keyboards differ", () => {
    const keys = vi.fn();
    registry.bind({ keys });
    press("page", "?", { shiftKey: true });
    press("page", "?");
    expect(keys).toHaveBeenCalledTimes(2);
  });

  it("leave a button its own Enter and Space", () => {
    const [open, follow] = [vi.fn(), vi.fn()];
    registry.bind({ "list.open": open, "list.follow": follow });
    press("button", "Enter");
    press("button", " ", { code: "Space" });
    expect(open).not.toHaveBeenCalled();
    expect(follow).not.toHaveBeenCalled();
    press("row", " ", { code: "Space" });
    expect(follow).toHaveBeenCalledTimes(1);
  });

  it("take Enter with a modifier from a button", () => {
    const send = vi.fn();
    registry.bind({ "compose.send": send });
    press("button", "Enter", { ctrlKey: true });
    expect(send).toHaveBeenCalledTimes(1);
  });

  it("go to whoever can act, when several actions share one", () => {
    const [replay, run] = [vi.fn(), vi.fn()];
    const unbind = registry.bind({ "turn.replay": replay });
    press("row", "r");
    unbind();
    registry.bind({ "fixtures.run": run });
    press("row", "r");
    expect([replay.mock.calls.length, run.mock.calls.length]).toEqual([1, 1]);
  });

  it("go to what has the focus before the view around it, whatever the order of the table", () => {
    const [reject, exported] = [vi.fn(), vi.fn()];
    registry.bind({ "turn.export": exported });
    const leave = registry.bind({ "permission.reject_once": reject });
    press("row", "x");
    press("button", "x");
    expect([reject.mock.calls.length, exported.mock.calls.length], "a request has the focus").toEqual([2, 0]);
    press("page", "x");
    expect([reject.mock.calls.length, exported.mock.calls.length], "the view has it").toEqual([2, 1]);
    leave();
    press("row", "x");
    expect([reject.mock.calls.length, exported.mock.calls.length], "a list that has no such action").toEqual([2, 2]);
  });

  it("go to the view before the page and to the page before the window", () => {
    const [view, page, everywhere] = [vi.fn(), vi.fn(), vi.fn()];
    registry.remap({ "turn.why": ["q"], "filter.focus": ["q"], palette: ["q"] });
    registry.bind({ palette: everywhere });
    press("page", "q");
    registry.bind({ "filter.focus": page });
    press("page", "q");
    registry.bind({ "turn.why": view });
    press("page", "q");
    expect([view, page, everywhere].map((run) => run.mock.calls.length)).toEqual([1, 1, 1]);
  });

  it("of a view act wherever the focus is, but not in text, nor in what lies over the view", () => {
    const why = vi.fn();
    registry.bind({ "turn.why": why });
    document.body.innerHTML += `<div role="dialog"><button id="answer"></button></div><div role="menu"><button id="entry"></button></div>`;
    for (const id of ["text", "answer", "entry"]) expect(press(id, "y").defaultPrevented, id).toBe(false);
    expect(why).not.toHaveBeenCalled();
    document.body.id = "nothing";
    for (const id of ["nothing", "page", "row", "button"]) press(id, "y");
    expect(why).toHaveBeenCalledTimes(4);
  });

  it("go on while they are held, but answer a request for permission once", () => {
    const [next, allow] = [vi.fn(), vi.fn()];
    registry.bind({ "list.next": next, "permission.allow_once": allow });
    for (const repeat of [false, true, true]) {
      press("row", "j", { repeat });
      expect(press("row", "a", { repeat }).defaultPrevented).toBe(true);
    }
    expect([next.mock.calls.length, allow.mock.calls.length]).toEqual([3, 1]);
  });

  it("can be changed, and then the old one does nothing", () => {
    const next = vi.fn();
    registry.bind({ "list.next": next });
    registry.remap({ "list.next": ["q"] });
    press("row", "j");
    expect(next).not.toHaveBeenCalled();
    press("row", "q");
    expect(next).toHaveBeenCalledTimes(1);
    expect(registry.conflict("list.previous", "q")?.id).toBe("list.next");
    expect(registry.conflict("list.next", "q")).toBeUndefined();
  });

  it("conflict where the focus cannot tell two actions apart, whichever of them is changed", () => {
    const both = (one: string, other: string): (string | undefined)[] =>
      [[one, other], [other, one]].map(([mine = "", theirs = ""]) => {
        registry.remap({ [theirs]: ["q"] });
        return registry.conflict(mine, "q")?.id;
      });
    expect(both("turn.export", "permission.reject_once"), "a list and the view around it").toEqual([undefined, undefined]);
    expect(both("session.cancel", "channel.send"), "lists of two views").toEqual([undefined, undefined]);
    expect(both("turn.why", "live.turns"), "two views").toEqual([undefined, undefined]);
    expect(both("turn.why", "turn.copy"), "one view").toEqual(["turn.copy", "turn.why"]);
    expect(both("turn.why", "list.next"), "what every list has").toEqual(["list.next", "turn.why"]);
    expect(both("turn.why", "error.next"), "that too").toEqual(["error.next", "turn.why"]);
    expect(both("session.cancel", "held.next"), "in a list").toEqual(["held.next", "session.cancel"]);
    expect(both("list.next", "keys"), "the page").toEqual(["keys", "list.next"]);
    expect(both("turn.why", "palette"), "the window").toEqual(["palette", "turn.why"]);
  });
});

describe("who can do what", () => {
  it("is the last to bind, and the one before when that one leaves", () => {
    const [behind, front] = [vi.fn(), vi.fn()];
    registry.bind({ "list.next": behind });
    const leave = registry.bind({ "list.next": front });
    registry.run("list.next");
    leave();
    registry.run("list.next");
    expect([behind.mock.calls.length, front.mock.calls.length]).toEqual([1, 1]);
  });

  it("is nobody at first", () => {
    expect(registry.can("palette")).toBe(false);
    expect(registry.run("palette")).toBe(false);
  });
});

describe("the table", () => {
  it("names every action once", () => {
    expect(new Set(actions.map((a) => a.id)).size).toBe(actions.length);
  });

  it("gives no key twice where both actions could act", () => {
    for (const action of actions)
      for (const key of registry.keys(action.id)) expect(registry.conflict(action.id, key)?.id, `${key} of ${action.id}`).toBeUndefined();
  });

  it("gives single letters to lists, and to the view that shows them", () => {
    for (const { id, keys, when } of actions) for (const key of keys) if (/^\p{L}$/u.test(key)) expect(when, id).toBe(id.startsWith("turn.") ? "view" : "list");
  });
});

it("writes a pressed key as the table writes it", () => {
  const event = (key: string, more: Partial<KeyboardEvent> = {}): Parameters<typeof pressed>[0] =>
    ({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });
  expect(pressed(event("k", { ctrlKey: true }))).toBe("$mod+k");
  expect(pressed(event("E", { shiftKey: true }))).toBe("Shift+e");
  expect(pressed(event("?", { shiftKey: true }))).toBe("?");
  expect(pressed(event(" "))).toBe("Space");
  expect(pressed(event("F6", { shiftKey: true }))).toBe("Shift+F6");
  expect(pressed(event("Shift", { shiftKey: true }))).toBeNull();
  expect([keyLabel("$mod+k"), keyLabel("Alt+,"), keyLabel("?"), keyLabel("$mod++")]).toEqual(["Ctrl K", "Alt ,", "?", "Ctrl +"]);
});
