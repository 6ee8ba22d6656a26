// The Markdown of the web chat's page, without a browser: whatever an answer of the longest length holds, it is drawn at once.
// A form that reads one text in several ways takes hours for some of these, so that each is drawn in a process that can be ended.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";

const source = readFileSync(resolve(import.meta.dirname, "../../../src-tauri/channels/src/web_chat/page/markdown.js"), "utf8");

/** Draws texts with elements that can only be read as HTML. */
const child = `
  const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const html = (node) => (typeof node === "string" ? escape(node) : node.html);
  class Element {
    constructor(name) { this.name = name; this.children = []; }
    append(...nodes) { this.children.push(...nodes); }
    get html() { return "<" + this.name + ">" + this.children.map(html).join("") + "</" + this.name + ">"; }
  }
  globalThis.document = { createElement: (name) => new Element(name), createTextNode: (text) => text };
  const { draw } = await import("data:text/javascript," + encodeURIComponent(process.env.SOURCE));
  let texts = "";
  for await (const part of process.stdin) texts += part;
  process.stdout.write(JSON.stringify(JSON.parse(texts).map((text) => draw(text).map(html).join(""))));
`;

/** What becomes of texts. Linear work takes milliseconds; the minute is for a loaded machine. */
function drawn(...texts) {
  const options = { input: JSON.stringify(texts), env: { ...process.env, SOURCE: source }, timeout: 60_000, maxBuffer: 2 ** 26, encoding: "utf8" };
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", child], options);
  const of = JSON.stringify(texts[0].slice(0, 60));
  assert.equal(run.signal, null, `the drawing of ${of} never ended`);
  assert.equal(run.status, 0, `${of}: ${run.stderr.slice(0, 2000)}`);
  return JSON.parse(run.stdout);
}

const LONGEST = 4096;
const filled = (part, end = "") => part.repeat(Math.floor((LONGEST - end.length) / part.length)) + end;

test("a star that nothing closes costs no more before many bold words than before one", () => {
  const [html] = drawn(`*required fields\n${"**Field**: value\n".repeat(200)}`);
  const bold = html.split("<strong>Field</strong>: value").length - 1;
  assert.deepEqual([html.slice(0, 19), bold], ["<p>*required fields", 200]);
});

for (const [what, text] of [
  ["bold that nothing closes", filled("**a ")],
  ["bold around a lone star", filled("*a **b** ")],
  ["underlines that nothing closes", filled("__a ")],
  ["strikes that nothing closes", filled("~~a ")],
  ["marks within marks", filled("**_a __~~[")],
  ["ticks that nothing closes", filled("`a ``b ")],
  ["brackets", filled("[")],
  ["brackets in an address", filled("[x](https://a.example/((a)", "<")],
  ["blanks in an address", `[x](https://a.example${" ".repeat(3900)}x`],
  ["signs at the end of an address", `https://a.example/${filled(".").slice(0, 4000)}x`],
  ["a heading of signs and blanks", `#${" ".repeat(2000)}${"#".repeat(2000)}x`],
  ["a line of dashes that is no rule", filled("- ", "x")],
  ["a row of tildes that begins no code", `${"~".repeat(1300)}${" ".repeat(1300)}${"a".repeat(1300)}\``],
  ["quotes in quotes", filled(">")],
  ["lists in lists", Array.from({ length: 88 }, (_, deep) => `${" ".repeat(deep)}- a`).join("\n")],
]) {
  test(`an answer of ${what} is drawn`, () => {
    const [html] = drawn(text);
    assert.ok(html.length > 0);
  });
}

test("each line is taken by something", () => {
  const texts = ["```js``` is a name", "a\n```js``` is a name", "~~~ `a`", "# a\rb", "# a\u2028b", "- a\rb", "1. a\u2028b", `${">".repeat(20)} a`];
  for (const [at, html] of drawn(...texts).entries()) assert.match(html, /[ab]|js/, texts[at]);
});

test("what is drawn of marks stays", () => {
  const pairs = [
    ["*a **b** c*", "<p><em>a <strong>b</strong> c</em></p>"],
    ["*a **b** c", "<p>*a <strong>b</strong> c</p>"],
    ["**a *b* c**", "<p><strong>a <em>b</em> c</strong></p>"],
    ["***a***", "<p><strong><em>a</em></strong></p>"],
    ["*a\n**b***", "<p>*a<br></br><strong>b*</strong></p>"],
    ["2 * 3 * 4", "<p>2 * 3 * 4</p>"],
    ["# Title ##", "<h1>Title</h1>"],
    ["## a #b", "<h2>a #b</h2>"],
    ["```js\na\n```", "<pre><code>a</code></pre>"],
    ["~~~\na\n~~~\nb", "<pre><code>a</code></pre><p>b</p>"],
    ["> a\n> > b", "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>"],
    ["- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"],
    ["(see https://a.example/(b)).", "<p>(see <a>https://a.example/(b)</a>).</p>"],
  ];
  for (const [at, html] of drawn(...pairs.map(([text]) => text)).entries()) assert.equal(html, pairs[at][1]);
});
