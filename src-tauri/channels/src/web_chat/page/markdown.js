// Draws the Markdown of an answer. Every letter of it becomes a text node, and the elements are those made here: nothing that
// the text says can become markup. What is not closed yet, while an answer streams, is drawn as it will be once it is.
//
// The page draws an answer again with each piece of it, so that a form of which one text has many readings would stop the page:
// `(\*\*.+?\*\*|.)*` reads twenty `**bold**` in a million ways before it finds that nothing closes. So no form here has a
// repetition that takes one text in several ways. A paragraph takes its first line whatever that is, so that there is no line
// which each kind leaves to another.

const make = (name, ...children) => {
  const element = document.createElement(name);
  element.append(...children);
  return element;
};

/** Quotes within quotes that are drawn as such. */
const DEEPEST = 16;

/** The Markdown, as nodes, within so many quotes. */
export function draw(text, depth = 0) {
  const nodes = [];
  const lines = text.split("\n");
  let at = 0;
  const while_ = (fits) => {
    const from = at;
    while (at < lines.length && fits(lines[at])) at += 1;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at];
    const fence = fenceOf(line);
    const heading = /^(#{1,3})\s+([^]*)$/.exec(line);
    if (line.trim() === "") at += 1;
    else if (fence) {
      at += 1;
      const end = new RegExp(`^\\s{0,3}${fence[1][0]}{${fence[1].length},}\\s*$`);
      const code = make("code", while_((line) => !end.test(line)).join("\n"));
      at += 1;
      const block = make("pre", code);
      block.tabIndex = 0;
      nodes.push(block);
    } else if (heading) {
      at += 1;
      nodes.push(make(`h${heading[1].length}`, ...inline(title(heading[2]))));
    } else if (isQuoted(line) && depth < DEEPEST) {
      const quoted = while_(isQuoted).map((line) => line.replace(/^\s*>\s?/, ""));
      nodes.push(make("blockquote", ...draw(quoted.join("\n"), depth + 1)));
    } else if (item(line)) {
      nodes.push(list(while_((line) => item(line) !== null || (line.trim() !== "" && /^\s{2,}/.test(line))), depth));
    } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
      at += 1;
      nodes.push(make("hr"));
    } else {
      at += 1;
      const more = while_((line) => line.trim() !== "" && fenceOf(line) === null && !/^#{1,3}\s/.test(line) && !isQuoted(line) && item(line) === null);
      nodes.push(make("p", ...inline([line, ...more].join("\n"))));
    }
  }
  return nodes;
}

const fenceOf = (line) => /^\s{0,3}(`{3,}(?!`)|~{3,}(?!~))[^`]*$/.exec(line);
const isQuoted = (line) => /^\s*>/.test(line);
const item = (line) => /^(\s*)(?:([-*•+])|(\d{1,9})[.)])\s+([^]*)$/.exec(line);

/** The words of a heading, without the signs that may close it. */
function title(words) {
  let end = words.length;
  while (words[end - 1] === "#") end -= 1;
  return words.slice(0, end).trimEnd();
}

function list(lines, depth) {
  const first = item(lines[0]);
  const [, indent, , number] = first;
  const made = make(number === undefined ? "ul" : "ol");
  if (number !== undefined && number !== "1") made.start = Number(number);
  let own = [];
  const close = () => {
    if (own.length === 0) return;
    const [words, ...rest] = own;
    made.append(make("li", ...inline(words), ...(rest.length > 0 ? draw(dedent(rest), depth) : [])));
  };
  for (const line of lines) {
    const found = item(line);
    if (found && found[1].length <= indent.length) {
      close();
      own = [found[4]];
    } else own.push(line);
  }
  close();
  return made;
}

function dedent(lines) {
  const least = Math.min(...lines.map((line) => /^\s*/.exec(line)[0].length));
  return lines.map((line) => line.slice(least)).join("\n");
}

const marks = [
  [/^\*\*(?=\S)([\s\S]*?\S)\*\*(?!\*)/, "strong"],
  [/^__(?=\S)([\s\S]*?\S)__(?!_)/, "u"],
  [/^~~(?=\S)([\s\S]*?\S)~~/, "s"],
  [/^\*(?=[^\s*])((?:\*\*[^*]+\*\*|[^*])*?[^\s*])\*(?!\*)/, "em"],
  [/^_(?=[^\s_])([^_]*?[^\s_])_(?![\p{L}\p{N}_])/u, "em"],
];

/** Words with their marks, as nodes. */
function inline(text, depth = 0) {
  const nodes = [];
  let plain = "";
  const flush = () => {
    if (plain !== "") nodes.push(document.createTextNode(plain));
    plain = "";
  };
  const add = (node, length) => {
    flush();
    nodes.push(node);
    text = text.slice(length);
  };
  let before = "";
  while (text !== "") {
    const escaped = /^\\([!-/:-@[-`{-~])/.exec(text);
    const code = /^(`+)(?!`)([\s\S]*?[^`])\1(?!`)/.exec(text);
    const link = /^\[((?:[^\[\]\\]|\\.)+)\]\(\s*<?(https?:\/\/[^\s<>)]+(?:\([^\s<>)]*\)[^\s<>)]*)*)>?(?:\s+"[^"]*")?\s*\)/i.exec(text);
    const angled = /^<(https?:\/\/[^\s<>]+)>/i.exec(text);
    const bare = /\w$/.test(before) ? null : /^https?:\/\/[^\s<>"'`]+/i.exec(text);
    const mark = depth < 8 && !(text[0] === "_" && /[\p{L}\p{N}]$/u.test(before)) ? marks.map(([form, name]) => [form.exec(text), name]).find(([found]) => found) : undefined;
    if (escaped) {
      plain += escaped[1];
      text = text.slice(2);
    } else if (code) add(make("code", code[2].replace(/\n/g, " ").replace(/^ (.*[^ ].*) $/, "$1")), code[0].length);
    else if (link) add(anchor(link[2], ...inline(link[1], depth + 1)), link[0].length);
    else if (angled) add(anchor(angled[1], angled[1]), angled[0].length);
    else if (bare) {
      const address = bare[0].replace(/[.,;:!?*_~)\]]+$/, (end) => (end.startsWith(")") && bare[0].includes("(") ? ")" : ""));
      add(anchor(address, address), address.length);
    } else if (mark) add(make(mark[1], ...inline(mark[0][1], depth + 1)), mark[0][0].length);
    else if (text[0] === "\n") add(make("br"), 1);
    else {
      const next = /^[\s\S][^\\`[<*_~\nh]*/.exec(text)[0];
      plain += next;
      text = text.slice(next.length);
    }
    before = plain.slice(-1);
  }
  flush();
  return nodes;
}

/** A link that leads out of the frame and tells nothing of where it was. */
function anchor(address, ...children) {
  const link = make("a", ...children);
  link.href = address;
  link.target = "_blank";
  link.rel = "noopener noreferrer nofollow";
  return link;
}
