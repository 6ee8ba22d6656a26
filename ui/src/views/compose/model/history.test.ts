import { describe, expect, it } from "vitest";
import { History, type Shelf } from "./history";

function shelf(kept: string | null = null): Shelf & { kept: string | null } {
  return {
    kept,
    getItem() {
      return this.kept;
    },
    setItem(_, value) {
      this.kept = value;
    },
  };
}

const draft = (user: string) => ({ user, output: "" });

describe("history", () => {
  it("goes back through what was sent and forward to the draft that was left", () => {
    const history = new History(shelf());
    ["a", "b", "c"].forEach((user) => history.add(draft(user)));
    expect(["x", "", "", ""].map((now) => history.previous(draft(now))?.user)).toEqual(["c", "b", "a", undefined]);
    expect([history.next(), history.next(), history.next(), history.next()].map((d) => d?.user)).toEqual(["b", "c", "x", undefined]);
  });

  it("survives a restart", () => {
    const place = shelf();
    new History(place).add(draft("kept"));
    expect(new History(place).previous(draft(""))?.user).toBe("kept");
  });

  it("remembers a repetition once, and at most a hundred", () => {
    const history = new History(shelf());
    history.add(draft("same"));
    history.add(draft("same"));
    expect(history.length).toBe(1);
    for (let i = 0; i < 150; i++) history.add(draft(String(i)));
    expect(history.length).toBe(100);
    expect(history.previous(draft(""))?.user).toBe("149");
  });

  it("begins anew after something is sent", () => {
    const history = new History(shelf());
    history.add(draft("a"));
    history.previous(draft("now"));
    history.add(draft("b"));
    expect(history.back).toBe(0);
    expect(history.next()).toBeNull();
    expect(history.previous(draft(""))?.user).toBe("b");
  });

  it("counts a broken shelf as an empty one", () => {
    for (const kept of ["{", '{"a":1}', '[1, {"user": 2}]']) expect(new History(shelf(kept)).length).toBe(0);
    const full: Shelf = {
      getItem: () => null,
      setItem: () => {
        throw new Error("full");
      },
    };
    const history = new History(full);
    history.add(draft("a"));
    expect(history.previous(draft(""))?.user).toBe("a");
  });
});
