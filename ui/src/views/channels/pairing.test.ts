import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it } from "vitest";
import demo from "../../../recordings/demo";
import type { Pairings } from "../../generated/wire";
import type { Exchange } from "../../host/recorded";
import { byId, calls, click, layOut, settle, stage } from "../../test/stage";
import PairingSection from "./PairingSection.svelte";

beforeEach(layOut);
afterEach(cleanup);

const in_an_hour = new Date(Date.now() + 3_600_000).toISOString();
const mallory = { channel: "signal", sender: "+4915112345678", name: "Mallory", code: "Q7RKX2MP", since: new Date().toISOString(), until: in_an_hour };
const alice = { channel: "signal", sender: "+4915187654321", name: "Alice", by: "cli" as const, at: "2026-11-21T12:00:00.000Z", in_force: true };
const some: Pairings = { channels: ["signal"], pending: [mallory], replaced: [], approved: [alice] };
const after: Pairings = { channels: ["signal"], pending: [], replaced: [], approved: [alice, { ...mallory, by: "console", at: mallory.since, in_force: true }] };

const open = (pairings: Pairings, ...more: Exchange[]) =>
  stage(PairingSection, undefined, { ...demo, calls: [...more, { name: "pairings", result: pairings }, ...demo.calls.filter((c) => c.name !== "pairings")] });
const row = (id: string): HTMLElement => byId(id);

it("shows who waits with which code, and whom who let in", async () => {
  await open(some);
  expect(row("pairing-request").textContent).toMatch(/waits\s*Q7RKX2MP\s*signal Mallory \+4915112345678\s*since \d\d:\d\d, .*left/);
  expect(row("pairing-approved").textContent).toMatch(/let in\s*signal Alice \+4915187654321\s*by the command line, /);
  expect(byId("pairing").textContent).toContain("1 person waits, 1 let in");
});

it("asks once before somebody is let in", async () => {
  const { host } = await open(some, { name: "pairing_approve", result: after });
  await click(byId("pairing-approve"));
  expect(calls(host, "pairing_approve")).toEqual([]);
  expect(byId("pairing-dialog").textContent).toMatch(/Let Mallory \(\+4915112345678\) in\?.*Q7RKX2MP/s);
  await click(byId("confirm"));
  expect(calls(host, "pairing_approve")).toEqual([{ code: "Q7RKX2MP" }]);
  expect(document.querySelector("[data-testid='pairing-request']")).toBeNull();
  expect(byId("pairing").textContent).toContain("by the console");
});

it("shows strangers' names with nothing hidden in them, and moves nothing beside them", async () => {
  const name = "Alice\u202e\u200b";
  const stranger = { ...mallory, name, sender: "id\u2066x" };
  const approved = { ...alice, name, sender: "id\u2066y", by: { user: "Bo\u202eb" } };
  const { host } = await open(
    { ...some, pending: [stranger], replaced: [{ request: { ...stranger, code: "ABCDEFGH" }, by: "Eve\u202e", at: mallory.since }], approved: [approved] },
    { name: "pairing_revoke", result: { ...some, approved: [] } },
  );
  for (const which of ["pairing-request", "pairing-replaced", "pairing-approved"]) {
    expect(byId(which).textContent).not.toMatch(/[\u200b\u202e\u2066]/);
    expect(Array.from(byId(which).querySelectorAll("bdi"), (part) => part.textContent)).toEqual(["AliceRLOZWSP", expect.stringMatching(/^idLRI[xy]$/)]);
  }
  expect(byId("pairing-replaced").textContent).toContain("\u2068Eve⟨RLO⟩\u2069");
  expect(byId("pairing-approved").textContent).toContain("by \u2068Bo⟨RLO⟩b\u2069");
  await click(byId("pairing-revoke"));
  expect(byId("pairing-dialog").textContent).toContain("Take the approval of \u2068Alice⟨RLO⟩⟨ZWSP⟩\u2069 (\u2068id⟨LRI⟩y\u2069) back?");
  await click(byId("confirm"));
  expect(calls(host, "pairing_revoke")).toEqual([{ channel: "signal", sender: "id\u2066y" }]);
});

it("asks once before somebody is refused", async () => {
  const { host } = await open(some, { name: "pairing_refuse", result: { ...some, pending: [] } });
  await click(byId("pairing-refuse"));
  expect(calls(host, "pairing_refuse")).toEqual([]);
  await click(byId("confirm"));
  expect(calls(host, "pairing_refuse")).toEqual([{ code: "Q7RKX2MP" }]);
});

it("takes an approval back, after a question", async () => {
  const { host } = await open(some, { name: "pairing_revoke", result: { ...some, approved: [] } });
  await click(byId("pairing-revoke"));
  expect(calls(host, "pairing_revoke")).toEqual([]);
  await click(byId("confirm"));
  expect(calls(host, "pairing_revoke")).toEqual([{ channel: "signal", sender: "+4915187654321" }]);
  expect(document.querySelector("[data-testid='pairing-approved']")).toBeNull();
});

it("keeps the list as it was when a decision fails, and says why", async () => {
  const failure = { code: "no_pairing", message: "Nobody waits with the code Q7RKX2MP.", hint: "Whoever writes again gets a new code." };
  await open(some, { name: "pairing_approve", failure });
  await click(byId("pairing-approve"));
  await click(byId("confirm"));
  expect(byId("toast").textContent).toMatch(/Nobody waits.*new code/s);
  expect(row("pairing-request").textContent).toContain("Q7RKX2MP");
});

it("hears of a request when it comes", async () => {
  const { host } = await open({ ...some, pending: [] });
  expect(document.querySelector("[data-testid='pairing-request']")).toBeNull();
  host.push({ push: "pairings", pairings: some });
  await settle();
  expect(row("pairing-request").textContent).toContain("Q7RKX2MP");
});

it("says that an approval has no effect where the channel does not ask for one", async () => {
  await open({ channels: [], pending: [], replaced: [], approved: [{ ...alice, in_force: false }] });
  expect(row("pairing-approved").textContent).toMatch(/no effect.*does not ask for approvals/s);
});

it("says what would make a channel ask, and where unknown people get codes", async () => {
  await open({ channels: [], pending: [], replaced: [], approved: [] });
  expect(byId("pairing").textContent).toContain('dm_policy = "pairing"');
  cleanup();
  await open({ channels: ["signal"], pending: [], replaced: [], approved: [] });
  expect(byId("pairing").textContent).toContain("On signal, unknown people");
});

it("shows whose request gave way to a newer one, and lets them in by their code", async () => {
  const bob = { request: { ...mallory, sender: "+49", name: "Bob", code: "OTHERONE" }, by: mallory.sender, at: mallory.since };
  const { host } = await open({ ...some, replaced: [bob] }, { name: "pairing_approve", result: some });
  expect(row("pairing-replaced").textContent).toMatch(/gave way\s*OTHERONE\s*signal Bob \+49\s*to the newer request of \+4915112345678, .*left/);
  expect(byId("pairing").textContent).toContain("1 person waits, 1 gave way, 1 let in");
  await click(byId("replaced-approve"));
  await click(byId("confirm"));
  expect(calls(host, "pairing_approve")).toEqual([{ code: "OTHERONE" }]);
  expect(document.querySelector("[data-testid='pairing-replaced']")).toBeNull();
});

it("shows no code that is no longer valid", async () => {
  await open({ ...some, pending: [{ ...mallory, until: new Date(Date.now() - 1000).toISOString() }], approved: [] });
  expect(document.querySelector("[data-testid='pairing-request']")).toBeNull();
});

it("gives the keyboard to the next row when one is decided", async () => {
  const bob = { ...mallory, sender: "+49", name: "Bob", code: "OTHERONE" };
  await open({ ...some, pending: [mallory, bob] }, { name: "pairing_refuse", result: { ...some, pending: [bob] } }, { name: "pairing_revoke", result: { ...some, pending: [bob], approved: [] } });
  byId("pairing-refuse").focus();
  await click(byId("pairing-refuse"));
  await click(byId("confirm"));
  const focused = (): string | undefined => document.activeElement?.closest("li")?.dataset["sender"];
  expect([focused(), document.activeElement?.getAttribute("data-testid")]).toEqual(["+49", "pairing-approve"]);
  byId("pairing-revoke").focus();
  await click(byId("pairing-revoke"));
  await click(byId("confirm"));
  expect(document.querySelector("[data-testid='pairing-approved']")).toBeNull();
  expect(document.activeElement).toBe(byId("pairing"));
});
