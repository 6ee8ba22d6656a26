// An agent that answers as a test says: the rules of the backend `script`, in a file of their own.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Writes the rules (YAML is a superset of JSON). `config` is a foldback.toml with them and one simulated channel,
 * Telegram; `more` goes before the channel.
 */
export async function script(rules, more = "") {
  const folder = await mkdtemp(join(tmpdir(), "foldback-script-"));
  const file = join(folder, "rules.yaml");
  await writeFile(file, JSON.stringify(rules));
  const config = `
[agent]
backend = "script"

[agent.script]
file = "${file}"

${more}

[channels.telegram]
kind = "loopback"
platform = "telegram"
armed = true
allow_from = ["*"]
`;
  return { config, close: () => rm(folder, { recursive: true, force: true }) };
}
