// An agent that answers as a test says: the rules of the backend `script`, in a file of their own.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const TELEGRAM = `
[channels.telegram]
kind = "loopback"
platform = "telegram"
armed = true
allow_from = ["*"]
`;

/**
 * Writes the rules (YAML is a superset of JSON). `config` is a foldback.toml with them and `channels`: one simulated
 * Telegram, unless told otherwise; `more` goes before the channels.
 */
export async function script(rules, more = "", channels = TELEGRAM) {
  const folder = await mkdtemp(join(tmpdir(), "foldback-script-"));
  const file = join(folder, "rules.yaml");
  await writeFile(file, JSON.stringify(rules));
  const config = `
[agent]
backend = "script"

[agent.script]
file = "${file}"

${more}

${channels}
`;
  return { config, close: () => rm(folder, { recursive: true, force: true }) };
}
