import { readFileSync } from "node:fs";
import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SecretEntry, Secrets, Status } from "../../generated/wire";
import type { Recording } from "../../host/recorded";
import { byId, click, layOut, settle, stage } from "../../test/stage";
import SettingsView from "./SettingsView.svelte";

/** What the real backend said. */
const real = JSON.parse(readFileSync("src/host/recorded/demo.json", "utf8")) as Recording;
const secrets = real.calls.find((c) => c.name === "secrets")?.result as Secrets;
const status = real.calls.find((c) => c.name === "status")?.result as Status;

beforeEach(layOut);
afterEach(cleanup);

const all = (id: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(`[data-testid="${id}"]`)];
const row = (kind: string): HTMLElement => {
  const found = all("secret-kind").find((r) => r.dataset["kind"] === kind);
  if (found === undefined) throw new Error(`no row for ${kind}`);
  return found;
};
const open = (change: Partial<Secrets> = {}) =>
  stage(SettingsView, undefined, { ...real, calls: [{ name: "secrets", result: { ...secrets, ...change } }, ...real.calls] });

describe("the secrets", () => {
  it("are listed each with what it is, what is shown of it, and the setting that says so", async () => {
    await open();
    expect(all("secret-kind")).toHaveLength(secrets.kinds.length);
    expect(row("sk").textContent).toMatch(/OpenAI.*use sk-proj.*→ use \[redacted\].*masked.*redact\.enabled = true/s);
    expect(row("email").textContent).toMatch(/shown as it is.*redact\.email = false/s);
    expect(row("email").textContent, "nothing is claimed to be masked").not.toContain("[redacted]");
    expect(byId("secrets").textContent).toContain(`${secrets.kinds.filter((k) => k.on).length} of ${secrets.kinds.length} kinds masked`);
    expect(byId("secrets").textContent).toContain("api_key");
    expect(byId("secrets-allow").textContent).toContain("nothing is on the list");
    expect(all("secrets-own-none")).toHaveLength(1);
  });

  it("of the operator's own stand beside the known ones", async () => {
    const own: SecretEntry = { id: "redact.extra 1", about: "customer numbers", source: "own", on: true, setting: "redact.enabled = true", example: "\\bACME-(\\d{6})\\b", shown: "" };
    await open({ kinds: [...secrets.kinds, own], allow: ["AKIAIOSFODNN7EXAMPLE"] });
    expect(row("redact.extra 1").textContent).toMatch(/customer numbers.*ACME.*masked/s);
    expect(all("secrets-own-none")).toHaveLength(0);
    expect(byId("secrets-allow").textContent).toBe("AKIAIOSFODNN7EXAMPLE");
  });

  it("are said to be sent as they are where redaction is off", async () => {
    await open({ enabled: false, setting: "redact.enabled = false", kinds: secrets.kinds.map((k) => ({ ...k, on: false, setting: "redact.enabled = false" })) });
    expect(byId("secrets-off").textContent).toContain("Nothing is masked");
    expect(byId("secrets").textContent).not.toContain("→");
    expect(all("masked-none")).toHaveLength(0);
  });

  it("lead from their figure to the events behind it", async () => {
    const { console } = await open();
    console.status = { ...status, masked: 0 };
    await settle();
    expect(byId("masked-none").textContent).toContain("nothing");
    console.status = { ...status, masked: 3, since: "2026-11-21T07:00:00Z" };
    await settle();
    expect(byId("masked-figure").textContent).toBe("3 places in the text of answers");
    await click(byId("masked-figure"));
    // The host's tests count the rows of this filter; here it is only that the window asks for them.
    expect(console.askedFilter).toBe("kind:decided text:redacted after:2026-11-21T07:00:00Z");
    expect(console.view).toBe("live");
  });

  it("say what went wrong when they cannot be read", async () => {
    await stage(SettingsView, undefined, { ...real, calls: [{ name: "secrets", failure: { code: "internal", message: "Foldback made a mistake.", hint: "Please report it." } }] });
    expect(byId("secrets").textContent).toMatch(/made a mistake.*report it/s);
  });
});

it("sets how the window looks", async () => {
  const { console } = await open();
  await click(byId("theme-choice-light"));
  await click(byId("zoom-choice-125"));
  await click(byId("rows-choice-roomy"));
  await click(byId("times-choice-delta"));
  const { prefs } = console;
  expect([prefs.get("theme"), prefs.get("zoom"), prefs.get("roomy"), prefs.get("delta")]).toEqual(["light", 125, true, true]);
  expect(byId("rows-choice-roomy").getAttribute("aria-checked")).toBe("true");
});
