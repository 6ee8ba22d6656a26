// Traffic for the bench: conversations that stream in the real pipeline. People write on simulated platforms, each in
// a process of its own; the bot's scripted agent answers in deltas of a few letters, as a model does.
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { end, start, until } from "../harness/processes.js";

const root = resolve(import.meta.dirname, "../../..");
const binary = process.env.FOLDBACK_PLATFORM ?? join(root, "target/release/foldback-platform");
const channels = ["telegram", "discord", "slack", "whatsapp", "signal"];

/** A reply of every sort: a block of directives, prose, a list, code. */
const opening = '<actions>\n  <react emoji="eyes" />\n</actions>\n';
const body = `Two routes fit a weekend: the **ridge**, 24 km, or the valley, 31 km, flat, with a lake.

- The ridge needs dry weather; \`forecast --days 2\` says when.
- The valley is open all year — take the early train, it is half empty.

Which one do you feel like? I would take the ridge, and keep the lake for the summer. `;

/** What the agent says: deltas of about four letters, `pace` milliseconds apart. */
function deltas(count, pace) {
  const text = opening + body.repeat(Math.ceil((count * 5) / body.length));
  return (text.match(/[\s\S]{4,5}/gu) ?? []).slice(0, count).map((piece) => ({ text: piece, after_ms: pace }));
}

/**
 * The platforms, and a configuration for a bot on them.
 * @param {string} folder where the configuration's script and the platforms' logs go
 * @param {Record<string, {deltas: number, pace: number}>} replies how the agent answers a message with this word
 */
export async function traffic(folder, replies) {
  const script = join(folder, "script.yaml");
  const rules = Object.entries(replies).map(([word, { deltas: count, pace }]) => ({
    when: { contains: word },
    agent: deltas(count, pace),
  }));
  await writeFile(script, JSON.stringify(rules)); // YAML is a superset of JSON
  const platforms = await Promise.all(channels.map((channel) => platform(channel, join(folder, `${channel}.log`))));
  const tables = platforms.map(
    ({ channel, address }) => `
[channels.${channel}]
kind = "loopback"
api_root = "tcp://${address}"
armed = true
allow_from = ["*"]
`,
  );
  // All at once: as many runs go on by default as most machines bear.
  const config = `[agent]\nbackend = "script"\nmax_runs = 200\n[queue]\nmode = "followup"\n[agent.script]\nfile = ${JSON.stringify(script)}\n${tables.join("")}`;
  let written = 0;
  /** `messages` messages each from `people` people, spread over the channels. */
  const write = async (word, people, messages) => {
    for (let message = 0; message < messages; message += 1) {
      for (let person = 0; person < people; person += 1) {
        written += 1;
        await platforms[person % platforms.length].write(`${word}-${person}`, written, `${word}, please.`);
      }
    }
  };
  const close = () => Promise.all(platforms.map(({ process }) => end(process)));
  return { config, write, close };
}

/** A simulated platform in a process of its own; it ends with its standard input. */
async function platform(channel, log) {
  const process = start(binary, [channel, log], { stdio: ["pipe", "pipe", "pipe"] });
  await until(() => process.output.includes("\n") || process.exitCode !== null || process.pid === undefined, channel);
  const address = /^[\d.]+:\d+/.exec(process.output)?.[0];
  if (address === undefined) throw new Error(`the platform ${channel} does not start: ${process.output}`);
  const [host, port] = address.split(":");
  const socket = connect(Number(port), host);
  await once(socket, "connect");
  const replies = createInterface({ input: socket })[Symbol.asyncIterator]();
  const write = async (person, number, text) => {
    const sender = { id: person, name: person, display_name: person, is_bot: false };
    const message = {
      channel, account: null, chat: person, chat_type: "direct", thread: null, message: String(number), reply_to: null,
      sender, text, mentioned: true, files: [], at: new Date().toISOString(),
    };
    socket.write(`${JSON.stringify({ ask: "inject", message })}\n`);
    const { value } = await replies.next();
    if (JSON.parse(value).say !== "noted") throw new Error(`${channel} did not take a message: ${value}`);
  };
  return { channel, address, write, process };
}
