import { readFileSync } from "node:fs";
import { cleanup, render } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import App from "../app/App.svelte";
import { byId, click, found, layOut, press, type } from "../test/stage";
import { HostFailure } from "./host";
import { RecordedHost, type Recording } from "./recorded";

/** What the real backend said during the demonstration, written by its generator. */
const real = JSON.parse(readFileSync("src/host/recorded/demo.json", "utf8")) as Recording;

beforeEach(layOut);
afterEach(cleanup);

async function open(): Promise<RecordedHost> {
  const host = new RecordedHost(real);
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
