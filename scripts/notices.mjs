#!/usr/bin/env node
// Writes the notices of everything of others that the package carries: the crates of both programs and the packages of
// the window, each with its licence and the texts that came with it. `scripts/notices.mjs FILE`.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [out] = process.argv.slice(2);
if (!out) {
  console.error("usage: scripts/notices.mjs FILE");
  process.exit(2);
}

/** The crates that are linked into the programs on this machine; what only builds or tests them is not carried. */
function crates() {
  const host = /^host: (.*)$/m.exec(execFileSync("rustc", ["-vV"], { encoding: "utf8" }))[1];
  const args = ["metadata", "--format-version", "1", "--locked", "--filter-platform", host];
  const metadata = JSON.parse(execFileSync("cargo", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 }));
  const packages = new Map(metadata.packages.map((one) => [one.id, one]));
  const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
  const programs = metadata.packages.filter((one) => ["foldback", "foldback-desktop"].includes(one.name));
  const wanted = programs.map((one) => one.id);
  const found = new Set(wanted);
  while (wanted.length > 0) {
    for (const used of nodes.get(wanted.pop()).deps) {
      const isLinked = used.dep_kinds.some((kind) => kind.kind === null);
      if (isLinked && !found.has(used.pkg)) {
        found.add(used.pkg);
        wanted.push(used.pkg);
      }
    }
  }
  return [...found]
    .map((id) => packages.get(id))
    .filter((one) => one.source !== null)
    .map((one) => ({
      name: one.name,
      version: one.version,
      licence: one.license ?? `see ${one.license_file}`,
      authors: one.authors,
      from: one.repository ?? one.homepage ?? `https://crates.io/crates/${one.name}`,
      folder: dirname(one.manifest_path),
    }));
}

/** The packages of the window that are not only there to build or test it. */
function npm() {
  const lock = JSON.parse(readFileSync(join(root, "ui/package-lock.json"), "utf8"));
  const carried = Object.entries(lock.packages).filter(([path, one]) => path !== "" && !one.dev && !one.optional);
  return carried.map(([path]) => {
    const folder = join(root, "ui", path);
    const one = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const repository = typeof one.repository === "object" ? one.repository.url : one.repository;
    const author = typeof one.author === "object" ? one.author.name : one.author;
    return {
      name: one.name,
      version: one.version,
      licence: one.license ?? "see below",
      authors: author ? [author] : [],
      from: repository ?? `https://www.npmjs.com/package/${one.name}`,
      folder,
    };
  });
}

/** The texts about its licence that lie in a folder. */
function texts(folder) {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^(licen[cs]e|copying|copyright|notice|unlicense)/i.test(entry.name))
    .map((entry) => entry.name)
    .sort();
  return names.map((name) => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trim());
}

/** The lines at the top of a file that begin with `#`: tables that were taken from others say so there. */
function head(file) {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  const end = lines.findIndex((line) => !line.startsWith("#"));
  return lines.slice(0, end).map((line) => line.slice(1).trim()).join("\n");
}

const all = [...crates(), ...npm()].sort((one, other) => one.name.localeCompare(other.name, "en"));
// Many came with the same text: it stands once, and they name its number.
const numbers = new Map();
let list = "";
for (const one of all) {
  const own = texts(one.folder).map((text) => {
    if (!numbers.has(text)) numbers.set(text, numbers.size + 1);
    return numbers.get(text);
  });
  list += `${one.name} ${one.version}\n    ${one.licence}; ${one.from}\n`;
  if (own.length > 0) list += `    text ${own.join(", ")}\n`;
  else list += `    ${one.authors.length > 0 ? `by ${one.authors.join(", ")}; ` : ""}it came without a text\n`;
}
let notices = `Foldback is under the MIT licence. It carries what follows, which others wrote, under licences of their own.

${list}
emoji names of Slack
    ${head("src-tauri/channels/src/emoji/slack_names.txt").replaceAll("\n", "\n    ")}
`;
for (const [text, number] of numbers) notices += `\n${"=".repeat(80)}\ntext ${number}\n\n${text}\n`;
writeFileSync(out, notices);
console.error(`${all.length} packages, ${numbers.size} texts`);
