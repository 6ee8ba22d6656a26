// Draws turns with a scrubber each. It shows what the data says of every instant and derives nothing. All that people and
// agents wrote becomes text, never markup.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();

  const element = (tag, className, text) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const add = (parent, ...children) => {
    for (const child of children) if (child) parent.appendChild(child);
    return parent;
  };
  const duration = (ms) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(2)} s`);

  const LOOKS = new Set(["bold", "italic", "underline", "strike", "code", "spoiler"]);
  const inks = (parent, list) => {
    for (const ink of list) {
      add(parent, element("span", ink.styles.filter((style) => LOOKS.has(style)).join(" "), ink.text));
      if (ink.link) add(parent, element("span", "small", ` (${ink.link})`));
    }
    return parent;
  };
  const blocks = (parent, shown) => {
    for (const block of shown) {
      if (block.block === "code") add(parent, element("pre", "", block.text));
      else if (block.block === "quote") add(parent, inks(element("blockquote"), block.inks));
      else add(parent, inks(element("div", block.block === "heading" ? "text bold" : "text"), block.inks));
    }
    return parent;
  };
  const words = (parent, text, rendering) =>
    rendering ? blocks(parent, rendering.shown) : add(parent, element("div", "text", text));

  function bubble(of) {
    const box = element("div", `bubble${of.from_bot ? " bot" : ""}${of.deleted ? " deleted" : ""}`);
    add(box, element("div", "small", of.author));
    if (of.quote) add(box, element("blockquote", "small", of.quote));
    const part = of.part;
    if (part.part === "text") words(box, part.text, part.rendering);
    else if (part.part === "file") {
      add(box, element("div", "small", `File: ${part.file.name}`));
      if (part.file.caption) words(box, part.file.caption, part.file.rendering);
    } else {
      add(box, element("div", "small", part.note ? "Voice note" : "Audio file"), element("div", "text", part.text));
    }
    for (const file of of.attachments ?? []) add(box, element("div", "small", `Attached: ${file.name}`));
    const notes = of.reactions.map((reaction) => reaction.emoji);
    if (of.edits > 0) notes.push(of.edits === 1 ? "edited once" : `edited ${of.edits} times`);
    if (of.deleted) notes.push("deleted");
    if (notes.length > 0) add(box, element("div", "small", notes.join(" · ")));
    return box;
  }

  function drawChat(pane, chat) {
    pane.replaceChildren(...chat.bubbles.map(bubble));
    if (chat.typing) add(pane, element("div", "small", "is writing…"));
    for (const note of chat.notes) add(pane, element("div", "small", note));
  }

  // The pieces of a raw text at an instant: decided, held, not decided yet, still to come.
  function pieces(bytes, map) {
    const list = map.ranges.map(({ span: [start, end], fate, about }) => ({ start, end, look: fate, about }));
    let at = list.reduce((end, piece) => Math.max(end, piece.end), 0);
    const until = (end, look, about) => {
      if (end > at) list.push({ start: at, end, look, about });
      at = Math.max(at, end);
    };
    if (map.held) {
      const [start, end] = map.held.span;
      until(start, "came", "came, not decided yet");
      until(end, "held", `held: ${map.held.reason}; ${map.held.because}`);
    }
    until(map.came, "came", "came, not decided yet");
    until(bytes.length, "future", "had not come yet");
    return list;
  }

  function drawMap(pane, turn, step) {
    pane.replaceChildren();
    turn.maps[step.map].forEach((map, number) => {
      const bytes = turn.bytes[number];
      add(pane, element("h3", "", `Assistant message ${number + 1}: ${map.came} of ${bytes.length} bytes`));
      const bar = element("div", "strip-bar");
      bar.setAttribute("aria-hidden", "true");
      const text = element("div", "map");
      for (const piece of pieces(bytes, map)) {
        const cell = element("span", piece.look);
        cell.style.flex = `${piece.end - piece.start} 0 0`;
        add(bar, cell);
        const run = element("span", piece.look, decoder.decode(bytes.subarray(piece.start, piece.end)));
        run.title = `bytes ${piece.start}–${piece.end}: ${piece.about}`;
        const [from, to] = (step.message === number && step.span) || [0, 0];
        if (piece.start < to && from < piece.end) run.classList.add("about");
        add(text, run);
      }
      add(pane, bar, text);
      if (map.held) {
        const held = map.held.span[1] - map.held.span[0];
        add(pane, element("div", "small", `Holds ${held} bytes (${map.held.reason}) until ${map.held.releases}`));
      }
      if (map.suppressed) add(pane, element("div", "small", map.suppressed));
    });
    if (turn.maps[step.map].length === 0) add(pane, element("div", "dim", "The agent has not written anything yet."));
  }

  function drawDecision(pane, step) {
    pane.className = `decision${step.error ? " failed" : ""}`;
    const span = step.span ? `, bytes ${step.span[0]}–${step.span[1]}` : "";
    pane.replaceChildren(
      element("strong", "", step.text),
      element("div", "small", `${step.kind}${span} · rule ${step.rule}`),
      element("div", "", step.about),
    );
    for (const input of step.inputs) add(pane, element("div", "small", `${input.name}: ${input.value}`));
    add(pane, element("div", "", step.effect));
  }

  // Scrolls a list to an entry, and never the page: the slider that is dragged stays where it is.
  function reveal(list, entry) {
    const [frame, box] = [list.getBoundingClientRect(), entry.getBoundingClientRect()];
    if (box.top < frame.top) list.scrollTop -= frame.top - box.top;
    else if (box.bottom > frame.bottom) list.scrollTop += box.bottom - frame.bottom;
  }

  function legend() {
    const row = element("div", "legend");
    const looks = [["show", "shown"], ["held", "held"], ["strip", "stripped"], ["drop", "dropped"], ["redacted", "masked"]];
    for (const [look, name] of looks) add(row, element("i", look, name));
    return row;
  }

  function drawTurn(turn) {
    turn.bytes = turn.raw.map((text) => encoder.encode(text));
    const article = element("article");
    article.id = `turn-${turn.turn}`;
    const facts = element("div", "facts");
    const told = [turn.channel, turn.sender, turn.began, turn.ending, turn.took, turn.agent, turn.session];
    for (const fact of told) if (fact) add(facts, element("span", "", fact));
    add(article, element("h2", "", `Turn ${turn.turn}`), facts);
    if (turn.steps.length === 0) return article;

    const last = turn.steps.length - 1;
    const slider = element("input");
    slider.type = "range";
    slider.min = "0";
    slider.max = String(last);
    slider.step = "1";
    slider.setAttribute("aria-label", `Decision of turn ${turn.turn}`);
    const clock = element("span", "clock");
    const back = element("button", "", "◀");
    const forward = element("button", "", "▶");
    back.setAttribute("aria-label", "Previous decision");
    forward.setAttribute("aria-label", "Next decision");
    const decision = element("div", "decision");
    decision.setAttribute("role", "status");
    const map = element("div");
    const chat = element("div", "chat");
    const list = element("ol", "steps");
    const entries = turn.steps.map((step, place) => {
      const entry = element("button", step.error ? "error" : "", `+${duration(step.at_ms)}  ${step.text}`);
      entry.tabIndex = -1;
      entry.addEventListener("click", () => show(place));
      add(list, add(element("li"), entry));
      return entry;
    });

    let at = -1;
    function show(place) {
      const next = Math.min(Math.max(place, 0), last);
      if (next === at) return;
      if (at >= 0) entries[at].removeAttribute("aria-current");
      at = next;
      const step = turn.steps[at];
      slider.value = String(at);
      slider.setAttribute("aria-valuetext", `${at + 1} of ${last + 1}, after ${duration(step.at_ms)}: ${step.text}`);
      clock.textContent = `${at + 1}/${last + 1} · +${duration(step.at_ms)}`;
      entries[at].setAttribute("aria-current", "step");
      reveal(list, entries[at]);
      drawDecision(decision, step);
      drawMap(map, turn, step);
      drawChat(chat, turn.chats[step.chat]);
    }
    slider.addEventListener("input", () => show(Number(slider.value)));
    back.addEventListener("click", () => show(at - 1));
    forward.addEventListener("click", () => show(at + 1));
    article.addEventListener("keydown", (event) => {
      const by = { "[": -1, "]": 1 }[event.key];
      if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      show(at + by);
    });

    add(article, add(element("div", "scrubber"), back, slider, forward, clock), decision);
    const left = add(element("section"), element("h3", "", "Chat at this instant"), chat);
    const right = add(element("section"), element("h3", "", "Hold map"), map, legend());
    add(article, add(element("div", "panes"), left, right));
    add(article, add(element("details"), element("summary", "", `All ${last + 1} decisions`), list));
    if (turn.leaked.length > 0) {
      add(article, element("h3", "error", "Leaked to the chat"));
      for (const leak of turn.leaked) add(article, element("div", "error", leak.text));
    }
    show(last);
    return article;
  }

  const page = document.getElementById("page");
  const count = data.turns.length;
  add(page, element("h1", "", count === 1 ? data.turns[0].user_text : `${count} turns`));
  add(page, element("p", "small", "Drag the slider, or press [ and ] in a turn, to step by decision. Secrets are masked."));
  if (count > 1) {
    const nav = element("nav");
    nav.setAttribute("aria-label", "Turns");
    for (const turn of data.turns) {
      const link = element("a", "", `#${turn.turn} ${turn.user_text.slice(0, 40)}`);
      link.href = `#turn-${turn.turn}`;
      add(nav, link);
    }
    add(page, nav);
  }
  for (const turn of data.turns) add(page, drawTurn(turn));
})();
