// The window at 10,000 events a second: `make bench-window`. Nothing is simulated but people, platforms and the
// model: the real pipeline writes a real journal, and the real window shows it. What must hold everywhere is checked;
// what depends on the machine is printed, beside the same window with nothing to show, in the same run.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dive, eventually } from "../harness/page.js";
import { open } from "../harness/window.js";
import { cpu } from "./cpu.js";
import { install } from "./probe.js";
import { memory } from "./memory.js";
import { broken, table } from "./report.js";
import { traffic } from "./traffic.js";

/** Events a second that are wanted, and for how many seconds. */
const wanted = 10_000;
const duration = Number(process.env.FOLDBACK_BENCH_SECONDS ?? 60);
/** Conversations at a time. Each delta leaves two events, its text and what was decided about it. */
const people = Number(process.env.FOLDBACK_BENCH_PEOPLE ?? 90);
/** An answer of the many: so many deltas, so many ms apart; a model of 50 tokens a second. */
const answer = { deltas: 500, pace: 20 };
/** Seconds that one takes. */
const answering = (answer.deltas * answer.pace) / 1000;
const depth = process.env.FOLDBACK_BENCH_DEPTH ?? "everything";
/** What every frame of a slow page takes, in ms. */
const slowness = 100;
/** Seconds of the other measurements. */
const aside = 10;

const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
const folder = await mkdtemp(join(tmpdir(), "foldback-bench-"));
const source = await traffic(folder, { one: { deltas: 250, pace: 50 }, many: answer });
let window;
try {
  window = await open({ config: source.config, profile: "release", env: { FOLDBACK_DRAWING: "processor" } });
  await measure(window);
} finally {
  await window?.close();
  await source.close();
  await rm(folder, { recursive: true, force: true });
}

/**
 * Has everybody write so often. What is not answered yet waits in the queue of its conversation; but in a list of turns the
 * newest would all be waiting then, and nothing on the screen would change, so that there they write when they are answered.
 */
async function writeAll(times) {
  if (depth !== "turns") return source.write("many", people, times);
  for (let time = 0; time < times; time += 1) {
    await source.write("many", people, 1);
    await wait(answering);
  }
}

async function measure({ browser, pid }) {
  // Everything is the depth with the most rows a second.
  await dive(browser, depth);
  await browser.execute(install);
  const processes = { page: /^WebKitWebProces/, app: /^foldback-deskto/ };
  const used = async () => Promise.all(Object.values(processes).map((name) => cpu(pid, name)));
  const phase = async (seconds, slowness = 0) => {
    await browser.execute((ms) => globalThis.probe.begin(ms), slowness);
    const from = await used();
    await wait(seconds);
    const until = await used();
    const counted = await browser.execute(() => globalThis.probe.end());
    const cores = Object.fromEntries(Object.keys(processes).map((name, at) => [name, (until[at] - from[at]) / seconds]));
    return { ...counted, cores };
  };
  const events = () =>
    browser.executeAsync((done) => void window.__TAURI_INTERNALS__.invoke("rpc", { workspace: 0, name: "status", args: {} }).then(({ head }) => done(head)));
  /** Waits for the end of the traffic. */
  const quiet = async () => {
    let last;
    const same = async () => last === (last = await events()) || void (await wait(3));
    await eventually(browser, same, "the end of the traffic", 600_000);
  };
  const sizes = async () => ({ page: await memory(pid, processes.page), app: await memory(pid, processes.app) });

  const before = await phase(aside);
  await source.write("one", 1, 1);
  await wait(1);
  const one = await phase(aside);
  await quiet();

  const sizesBefore = await sizes();
  const written = writeAll(Math.ceil((duration + aside + 10) / answering));
  await wait(2);
  const many = await phase(duration);
  const sizesAfter = await sizes();
  const slow = await phase(aside, slowness);
  const room = await browser.execute(() => globalThis.probe.room());
  await written;
  await quiet();
  const after = await phase(aside);
  const sizesEnd = await sizes();

  const head = await events();
  const phases = { "one answer": one, [`${people} answers`]: many, [`… and a page of ${slowness} ms a frame`]: slow };
  for (const part of Object.values(phases)) {
    const inside = await browser.executeAsync((part, head, done) => void globalThis.probe.inside(part, head).then(done), part, head);
    Object.assign(part, inside);
  }
  const idle = (before.frames + after.frames) / (before.seconds + after.seconds);
  console.log(`The idle window draws ${idle.toFixed(1)} frames a second.\n`);
  console.log(table(phases, idle));
  const reached = many.rate >= wanted ? "reached" : "NOT reached: this machine, or what else it does, is too slow";
  console.log(`\n${wanted.toLocaleString("en")} events a second: ${reached}. The journal has ${head.toLocaleString("en")} events.`);
  const grown = (part) => [sizesBefore, sizesAfter, sizesEnd].map((size) => size[part]).join(", ");
  console.log(`MB resident before the many answers, ${duration} s into them, and at the end: page ${grown("page")}; app ${grown("app")}.`);
  const failures = Object.entries({ idle: after, ...phases }).flatMap(([name, part]) => broken(name, part, room));
  for (const line of failures) console.error(`BROKEN: ${line}`);
  if (failures.length > 0) process.exitCode = 1;
}
