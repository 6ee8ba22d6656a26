import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it } from "vitest";
import demo from "../../../recordings/demo";
import type { PreparedMessage, QueueLabResult } from "../../generated/wire";
import { byId, calls, click, layOut, settle, stage } from "../../test/stage";
import PrepareDialog from "./PrepareDialog.svelte";
import QueueLabDialog from "./QueueLabDialog.svelte";

beforeEach(layOut);
afterEach(cleanup);

const step = { inputs: [], setting: null, source: null, change: null };
const prepared: PreparedMessage = {
  channel: "slack", session: "slack:compose", answer: "The agent (script) would be asked with 900 B.", terminal: null, replies: [],
  steps: [
    { ...step, seq: 1, stage: "authorize", no: false, text: "allowed" },
    { ...step, seq: 2, stage: "activation", no: true, text: "not_mentioned", setting: "channels.slack.require_mention", source: "default", change: "Mention the bot." },
  ],
  stripped: [{ span: [0, 11], text: "/think high" }], settings: [{ setting: "think", value: "high", source: "inline" }], prompt: "## Message\n\nexplain", omitted: [{ name: "https://a.example/x", why: "A real turn fetches it.", setting: "links.mode" }],
};
const said = (id: string): string => byId(id).textContent?.replace(/\s+/g, " ").trim() ?? "";

it("shows a message up to its prompt, with what is taken out marked", async () => {
  const recording = { ...demo, calls: [{ name: "compose_prepare" as const, result: prepared }, ...demo.calls] };
  const { host } = await stage(PrepareDialog, { open: true, text: "/think high explain", channel: "slack", onclose: () => undefined }, recording);
  await settle();
  expect(calls(host, "compose_prepare")[0]).toMatchObject({ channel: "slack", user_text: "/think high explain", context: { chat_type: "direct", mentioned: true } });
  expect(said("prepare-answer")).toBe("The agent (script) would be asked with 900 B.");
  expect([...byId("prepare-text").querySelectorAll("del")].map((part) => part.textContent)).toEqual(["/think high"]);
  expect(said("prepare-steps")).toContain("channels.slack.require_mention (default)Mention the bot.");
  expect(said("prepare-omitted")).toBe("Not in this prompt: https://a.example/x A real turn fetches it. links.mode");
  const lines = [...byId("prepare-prompt").querySelectorAll(".line")].map((line) => line.textContent);
  expect(lines, "each line stands alone").toEqual(["## Message", "", "explain"]);
  await click(byId("prepare-mentioned"));
  await settle();
  expect(calls(host, "compose_prepare").at(-1)).toMatchObject({ context: { mentioned: false } });
});

const lab: QueueLabResult = {
  lasted_ms: 4000,
  turns: [
    { turn: 1, text: "one", sender: "alice", came_ms: 0, ran_ms: [0, 3000], ended_ms: 3000, terminal: { state: "replied" }, prompt: "p", steps: [{ at_ms: 0, kind: "run_started", text: "agent run 1 started (script)" }] },
    { turn: 2, text: "two", sender: "alice", came_ms: 500, ran_ms: null, ended_ms: 900, terminal: { state: "dropped" }, prompt: null, steps: [] },
  ],
};

it("draws when each message waits and runs, and tells what the queue decided", async () => {
  const recording = { ...demo, calls: [{ name: "queue_lab" as const, result: lab }, ...demo.calls] };
  const { host } = await stage(QueueLabDialog, { open: true, onclose: () => undefined }, recording);
  await settle();
  expect(calls(host, "queue_lab")[0]).toMatchObject({ mode: "collect", cap: 3, drop: "summarize", debounce_ms: 500, channel_debounce_ms: 0, run_ms: 3000 });
  const rows = [...document.querySelectorAll<HTMLElement>("[data-testid='lab-turn']")];
  expect(rows.map((row) => row.querySelector(".end")?.textContent)).toEqual(["replied", "dropped"]);
  expect(rows[0]?.querySelector<HTMLElement>(".runs")?.style.width).toBe("75%");
  expect(rows[1]?.querySelector(".runs")).toBeNull();
  await click(rows[0]!);
  expect(said("lab-steps")).toContain("agent run 1 started");
});
