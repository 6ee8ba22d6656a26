import { readFileSync } from "node:fs";
import { cleanup, render } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import App from "../app/App.svelte";
import { byId, calls, click, found, layOut, press, type } from "../test/stage";
import { HostFailure } from "./host";
import { RecordedHost, type Recording } from "./recorded";

/** What the real backend said, written by its generator: during the demonstration, and of what agents did. */
const read = (name: string): Recording => JSON.parse(readFileSync(`src/host/recorded/${name}.json`, "utf8")) as Recording;
const real = read("demo");
const agents = read("agents");

beforeEach(layOut);
afterEach(cleanup);

async function open(recording = real): Promise<RecordedHost> {
  localStorage.setItem("foldback.prefs", JSON.stringify({ depth: "everything", tour: "done" }));
  const host = new RecordedHost(recording);
  render(App, { props: { host } });
  await found("events");
  return host;
}

describe("the window on what the real backend said", () => {
  it("shows the demonstration, live", async () => {
    await open();
    await vi.waitFor(() => expect(byId("event-count").textContent).toContain(`${real.rows.length} events`), { timeout: 20_000 });
    expect(byId("events").querySelectorAll("[data-index]").length).toBeGreaterThan(10);
  });

  it("shows its channels", async () => {
    await open();
    await press(document.body, "5");
    for (const channel of ["telegram", "discord", "slack", "whatsapp", "signal"]) await found(`channel-${channel}`);
  });

  it("shows the error of a mistyped filter and mends it", async () => {
    await open();
    byId("filter").focus();
    await type(byId("filter"), "chanel:discord");
    await press(byId("filter"), "Enter");
    expect((await found("filter-fix")).textContent).toContain("channel");
  });

  it("runs its fixtures and shows the one that differs", async () => {
    await open();
    await press(document.body, "4");
    await found("fixtures-matrix");
    await click(byId("fixtures-run-all"));
    const broken = "[data-path='silence/broken.yaml'] [data-verdict='fail']";
    await vi.waitFor(() => expect(document.querySelector(broken)).not.toBeNull(), { timeout: 20_000 });
  });
});

describe("the window on what agents did", () => {
  /** Shows a turn, as the palette does. */
  async function turn(number: number): Promise<void> {
    await press(document.body, "k", { ctrlKey: true });
    await type(await found("palette-input"), `#${number}`);
    await press(byId("palette-input"), "Enter");
    await vi.waitFor(() => expect(byId("chat-pane").textContent).toContain(`#${number}`), { timeout: 20_000 });
    await found("chat");
  }
  const all = (id: string): string[] => [...document.querySelectorAll(`[data-testid="${id}"]`)].map((element) => element.textContent?.replace(/\s+/g, " ").trim() ?? "");

  it("answers the oldest request by keys alone, from anywhere, and goes to the next", async () => {
    const host = await open(agents);
    await press(document.body, "A", { ctrlKey: true, shiftKey: true });
    await found("permission-list");
    await vi.waitFor(() => expect(document.activeElement?.getAttribute("data-key")).toBe("11-1"), { timeout: 20_000 });
    await press(document.activeElement ?? document.body, "a");
    expect(calls(host, "permission_decide")).toEqual([{ turn: 11, permission: "p3", option: "yes" }]);
    expect(document.activeElement?.getAttribute("data-key")).toBe("12-1");
    await press(document.activeElement ?? document.body, "j");
    await press(document.activeElement ?? document.body, "x");
    expect(calls(host, "permission_decide").at(-1)).toEqual({ turn: 12, permission: "p4", option: "reject" });
    expect(byId("sessions").querySelector('[data-testid="permission"]')).toBeNull();
  });

  it("lists its conversations: what runs, what asks, what waits, what the agent keeps", async () => {
    await open(agents);
    await press(document.body, "6");
    await found("session-list");
    const lines = all("session");
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/calls count_sheep discord Bob.*5 turns #13 for .* 2 waiting/);
    expect(lines[1]).toMatch(/asks telegram Alice.*#12 for .*script ses_6f1c0f52b7ffeQ3v9mYkT2aLxE/);
    expect(lines[3]).toMatch(/idle signal Dave.*2 turns/);
  });

  it("marks the turns that wait for a permission, until it is decided", async () => {
    await open(agents);
    await turn(11);
    const of = (number: number): string => document.querySelector(`[data-testid="turn"][data-turn="${number}"]`)?.textContent ?? "";
    await vi.waitFor(() => expect([of(11), of(12), of(13)]).toEqual([expect.stringContaining("asks"), expect.stringContaining("asks"), expect.stringContaining("running")]));
    await click(byId("permission-allow_once"));
    expect(of(11)).toContain("running");
  });

  it("stops the turn that is looked at, after a question", async () => {
    const host = await open(agents);
    await turn(13);
    await click(await found("turn-stop"));
    expect((await found("session-dialog")).textContent).toContain("Cancel the run for Bob?");
    await click(byId("confirm"));
    expect(calls(host, "session_cancel")).toEqual([{ session: "discord:weekend:80351110224678912", turn: 13 }]);
    await turn(14);
    expect(document.querySelector('[data-testid="turn-stop"]'), "it waits").toBeNull();
    expect(document.querySelector('[data-testid="turn"][data-turn="14"]')?.textContent).toContain("waits");
  });

  it("has tools and thoughts beside the answer, and what was made of each in the chat", async () => {
    await open(agents);
    await turn(1);
    await found("tools");
    expect(all("tool").map((text) => text.slice(0, 80))).toEqual([
      expect.stringMatching(/^read_file 990 ms ?completed/), expect.stringMatching(/^mcp__mountain_weather__forecast_for_the_next_seven_days 2.3 s ?failed/),
    ]);
    expect(byId("reasoning").textContent).toContain("Reasoning is never sent.");
    expect(byId("chat").textContent).toMatch(/💭 The hut has a price list.*Let me look at the price list.*🔧.*Monday and Tuesday/s);
  });

  it("shows a voice note, and of files which the agent has and why it has not the others", async () => {
    await open(agents);
    await turn(2);
    expect(byId("voice-note").dataset["state"]).toBe("ready");
    expect(byId("voice-note").parentElement?.textContent).toContain("Start at eight, the showers come at four");
    await turn(8);
    const fates = [...document.querySelectorAll<HTMLElement>('[data-testid="attachment"]')].map((file) => file.dataset["fate"]);
    expect(fates).toEqual(["given", "too_large", "unavailable"]);
  });

  it("says why not: of a voice, of what was not allowed, of a file; and who stepped in", async () => {
    const host = new RecordedHost(agents);
    const why = async (about: number) => host.call("why", { about: String(about) });
    expect((await why(3)).answer).toContain("<voice> was not carried out: cancelled, nothing is left to say");
    expect((await why(4)).answer).toContain("DELETE /accounts/4411 was not allowed (agent.permissions.reject rejects it)");
    expect((await why(8)).answer).toContain("Setting: attachments.max_size");
    expect((await why(10)).answer).toContain("Stopped by the console.");
    expect((await why(11)).answer).toContain("a person is asked to allow find");
    expect((await why(7)).steps.map((step) => step.text)).toContainEqual(expect.stringContaining("attempt 2, now script: openai gpt-5-mini: overloaded"));
  });
});

describe("a recorded host", () => {
  it("answers what was recorded, fails as recorded, and says when it knows nothing", async () => {
    const host = new RecordedHost({
      rows: [], pushes: [],
      calls: [{ name: "turn", args: { turn: 1 }, failure: { code: "not_found", message: "There is no turn 1.", hint: null } }, { name: "turns", result: [] }],
    });
    expect(await host.call("turns", { before: null, limit: 5 })).toEqual([]);
    await expect(host.call("turn", { turn: 1 })).rejects.toMatchObject({ code: "not_found" });
    await expect(host.call("turn", { turn: 2 })).rejects.toMatchObject({ code: "not_recorded" });
    await expect(host.call("catalog", {})).rejects.toBeInstanceOf(HostFailure);
  });
});
