// An OpenAI-compatible endpoint on loopback, as strict as a real one: the server that the agents are tested against.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { end, start, until } from "./processes.js";

const root = resolve(import.meta.dirname, "../../..");
const binary = process.env.FOLDBACK_OPENAI_SERVER ?? join(root, "target/debug/examples/openai_server");

/** Starts an endpoint that answers as `rules` say (YAML is a superset of JSON). */
export async function endpoint(rules) {
  const folder = await mkdtemp(join(tmpdir(), "foldback-endpoint-"));
  const script = join(folder, "rules.yaml");
  await writeFile(script, JSON.stringify(rules));
  const server = start(binary, ["--script", script, "--model", "test"]);
  await until(() => /http:\S+\n/.test(server.output) || server.exitCode !== null || server.pid === undefined, "the endpoint");
  const url = /http:\S+/.exec(server.output)?.[0];
  if (url === undefined) throw new Error(`the endpoint does not start: ${server.output}`);
  const close = async () => {
    await end(server);
    await rm(folder, { recursive: true, force: true });
  };
  return { url, close, output: () => server.output };
}
