// @vitest-environment node
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** What the package carries of others, as its script writes it: the list, and the numbered texts behind it. */
const folder = mkdtempSync(join(tmpdir(), "foldback-notices-"));
let list: string[];
let texts: Set<string>;

const run = (program: string, args: string[]): string =>
  execFileSync(program, args, { cwd: "..", encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });

beforeAll(() => {
  const file = join(folder, "THIRD-PARTY-NOTICES");
  run("node", ["scripts/notices.mjs", file]);
  const [first, ...rest] = readFileSync(file, "utf8").split(`\n${"=".repeat(80)}\n`);
  list = (first ?? "").split("\n");
  texts = new Set(rest.map((text) => /^text (\d+)\n/.exec(text)?.[1] ?? "none"));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** The lines about a package: its licence and place, and where its text is. */
function about(name: string): string[] {
  const at = list.indexOf(name);
  if (at < 0) return [];
  const rest = list.slice(at + 1);
  const end = rest.findIndex((line) => !line.startsWith("    "));
  return end < 0 ? rest : rest.slice(0, end);
}

describe("the notices of the package", () => {
  it("name every crate that cargo links into the two programs", () => {
    const args = ["tree", "--locked", "-e", "normal", "--prefix", "none", "-f", "{p}", "-p", "foldback", "-p", "foldback-desktop"];
    const lines = run(process.env["CARGO"] ?? "cargo", args).split("\n");
    const crates = new Set(lines.filter((line) => line !== "" && !/ \(\/| \(\*\)$/.test(line)).map((line) => line.replace(" (proc-macro)", "")));
    expect(crates.size).toBeGreaterThan(200);
    const missing = [...crates].filter((one) => about(one.replace(" v", " ")).length === 0);
    expect(missing).toEqual([]);
  });

  it("name every package that the window asks for", () => {
    const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: Record<string, string> };
    const missing = Object.keys(dependencies).filter((name) => {
      const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")) as { version: string };
      return about(`${name} ${version}`).length === 0;
    });
    expect(missing).toEqual([]);
  });

  it("give each its licence and its text, or say that it came without one", () => {
    const entries = list.filter((line) => /^\S+ \d/.test(line));
    const incomplete = entries.filter((entry) => {
      const [licence, text] = about(entry);
      const numbers = /^ {4}text ([\d, ]+)$/.exec(text ?? "")?.[1]?.split(", ");
      const hasText = numbers === undefined ? /^ {4}(by .+; )?it came without a text$/.test(text ?? "") : numbers.every((number) => texts.has(number));
      return !/^ {4}\S.*; \S/.test(licence ?? "") || !hasText;
    });
    expect(incomplete).toEqual([]);
  });
});
