// The page of a conversation. The server has the conversation; what is drawn here is what it told, and the messages that are
// on their way to it. Each change comes as an event, whichever tab or bot made it.
import { draw } from "./markdown.js";

const find = (id) => document.getElementById(id);
const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (attribute.startsWith("on")) element.addEventListener(attribute.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(attribute, value === true ? "" : value);
  }
  element.append(...children);
  return element;
};
const list = find("messages");
const field = find("text");
const QUICK = ["👍", "❤️", "😄", "🎉", "👎"];
/** Without a sign of life for so long, the connection is taken for broken: the server gives one every 15 seconds. */
const SILENCE = 40_000;

let limits = { text: 4096, bytes: 25_000_000, files: 10 };
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short" });

// --- what is drawn ---------------------------------------------------------------------------------------

/** The messages by id, and those on their way by key. */
const shown = new Map();
const leaving = new Map();
let answered = null;

const isAtEnd = () => list.scrollHeight - list.scrollTop - list.clientHeight < 90;
function keepingPlace(change) {
  const follow = isAtEnd();
  change();
  find("nothing").hidden = shown.size + leaving.size > 0;
  if (follow) list.scrollTop = list.scrollHeight;
}

const bytes = (size) => (size < 1000 ? `${size} B` : size < 1_000_000 ? `${Math.round(size / 1000)} kB` : `${(size / 1_000_000).toFixed(1)} MB`);

function drawFile(file) {
  const address = `files/${file.id}`;
  const note = (words) => make("p", { class: "file" }, make("b", {}, file.name), make("span", {}, words));
  if (file.gone) return note("no longer kept");
  if (file.url === undefined && file.id === undefined) return note(bytes(file.size));
  const source = file.url ?? address;
  if (/^image\/(png|jpeg|gif|webp|avif)$/.test(file.media_type)) {
    const image = make("img", { src: source, alt: file.name, loading: "lazy" });
    const end = isAtEnd();
    image.addEventListener("load", () => end && (list.scrollTop = list.scrollHeight));
    return make("a", { href: source, target: "_blank", rel: "noopener", "aria-label": `Picture ${file.name}` }, image);
  }
  if (file.voice || file.media_type.startsWith("audio/") || file.media_type === "application/ogg") {
    const sound = make("audio", { src: source, controls: true, preload: "metadata", "aria-label": file.voice ? "Voice message" : file.name });
    return file.words ? make("div", {}, sound, make("details", {}, make("summary", {}, "Words"), file.words)) : sound;
  }
  if (/^video\/(mp4|webm|ogg)$/.test(file.media_type)) return make("video", { src: source, controls: true, preload: "metadata", "aria-label": file.name });
  return make("a", { class: "file", href: source, download: file.name }, make("b", {}, file.name), make("span", {}, bytes(file.size)));
}

/** The words of a text without its marks. */
const plain = (text) => make("div", {}, ...draw(text)).textContent.replace(/\s+/g, " ");
const wordsOf = (entry) => (entry.from === "bot" ? plain(entry.text) : entry.text) || entry.files?.map((file) => (file.voice ? "Voice message" : file.name)).join(", ") || "";

function drawQuote(entry) {
  if (!entry.reply_to) return [];
  const original = shown.get(entry.reply_to)?.entry;
  if (!original) return [make("span", { class: "quote" }, "A message that is no longer kept")];
  return [make("button", { class: "quote", type: "button", "aria-label": `Answers: ${wordsOf(original)}. Go there`, onclick: () => goTo(entry.reply_to) }, wordsOf(original))];
}

function goTo(id) {
  const element = shown.get(id)?.element;
  element?.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  element?.querySelector("button")?.focus({ preventScroll: true });
}

function drawBubble(entry) {
  const bubble = make("div", { class: "bubble" }, make("span", { class: "visually-hidden" }, entry.from === "bot" ? "Bot: " : "You: "), ...drawQuote(entry));
  const files = entry.files ?? [];
  if (files.length > 0) bubble.append(make("div", { class: "files" }, ...files.map(drawFile)));
  if (entry.text) bubble.append(make("div", { class: "words" }, ...(entry.from === "bot" ? draw(entry.text) : [entry.text])));
  return bubble;
}

function drawReactions(entry) {
  const all = new Map();
  for (const { emoji, from } of entry.reactions ?? []) all.set(emoji, [...(all.get(emoji) ?? []), from]);
  if (all.size === 0) return [];
  const each = [...all].map(([emoji, from]) => {
    const own = from.includes("visitor");
    const words = `${emoji}, ${from.map((who) => (who === "bot" ? "the bot" : "you")).join(" and ")}`;
    return make("li", {}, make("button", { type: "button", "aria-pressed": String(own), "aria-label": words, onclick: () => react(entry, emoji, !own) }, emoji, from.length > 1 ? String(from.length) : ""));
  });
  return [make("ul", { class: "reactions", "aria-label": "Reactions" }, ...each)];
}

function drawTools(entry) {
  const reaction = (emoji) => make("button", { type: "button", "aria-label": `React with ${emoji}`, onclick: () => react(entry, emoji, !entry.reactions?.some((r) => r.emoji === emoji && r.from === "visitor")) }, emoji);
  const answer = make("button", { type: "button", "aria-label": "Answer this message", title: "Answer", onclick: () => answerTo(entry) }, "↩");
  return make("div", { class: "tools", role: "group", "aria-label": "Act on this message" }, ...(entry.from === "bot" ? QUICK.map(reaction) : []), answer);
}

/** Draws a message anew, in its place. */
function redraw(held) {
  const { entry, element } = held;
  const focused = element.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
  const playing = element.querySelector("audio, video");
  element.replaceChildren(drawBubble(entry), ...drawReactions(entry), drawTools(entry));
  // What plays goes on.
  if (playing) element.querySelector("audio, video")?.replaceWith(playing);
  if (focused !== null) [...element.querySelectorAll("button")].find((button) => button.getAttribute("aria-label") === focused)?.focus({ preventScroll: true });
}

function place(entry) {
  const at = new Date(entry.at);
  const before = [...shown.values()].at(-1)?.entry;
  const apart = before === undefined || at - new Date(before.at) > 600_000;
  const element = make("li", { class: `message ${entry.from}${!apart && before?.from === entry.from ? " same" : ""}`, title: clock.format(at) });
  element.dataset.id = entry.id;
  element.addEventListener("click", () => {
    for (const chosen of list.querySelectorAll(".chosen")) chosen.classList.remove("chosen");
    element.classList.add("chosen");
  });
  const held = { entry, element };
  if (apart) {
    held.time = make("li", { class: "message", role: "presentation" }, make("time", { class: "meta", datetime: entry.at }, at.toDateString() === new Date().toDateString() ? clock.format(at) : `${day.format(at)}, ${clock.format(at)}`));
    held.time.style.alignItems = "center";
  }
  shown.set(entry.id, held);
  redraw(held);
  const firstLeaving = list.querySelector(".waiting");
  for (const part of [held.time, element]) if (part) list.insertBefore(part, firstLeaving);
}

function drop(id) {
  const held = shown.get(id);
  held?.element.remove();
  held?.time?.remove();
  shown.delete(id);
}

// --- events ----------------------------------------------------------------------------------------------

/** Messages whose text changed since the last frame. */
const changed = new Set();
function redrawSoon(held) {
  if (changed.size === 0) {
    // A page in the background has no frames.
    const soon = document.hidden ? (then) => setTimeout(then, 200) : requestAnimationFrame;
    soon(() => keepingPlace(() => {
      for (const each of changed) redraw(each);
      changed.clear();
    }));
  }
  changed.add(held);
}

let saying;
/** Reads the answer out once it stands still, instead of each of its pieces. */
function announce(held) {
  if (held.entry.silent) return;
  clearTimeout(saying);
  saying = setTimeout(() => {
    find("announce").textContent = `Bot: ${held.element.querySelector(".words")?.textContent ?? wordsOf(held.entry)}`;
    if (document.hidden) document.title = `● ${title}`;
  }, 1200);
}

let typingEnds;
function showTyping(on) {
  clearTimeout(typingEnds);
  keepingPlace(() => (find("typing").hidden = !on));
  if (on) typingEnds = setTimeout(() => showTyping(false), 8000);
}

const happened = {
  conversation({ messages }) {
    keepingPlace(() => {
      for (const id of [...shown.keys()]) drop(id);
      for (const entry of messages) place(entry);
    });
    list.scrollTop = list.scrollHeight;
  },
  message({ message }) {
    if (shown.has(message.id)) return;
    if (message.from === "visitor") {
      const same = [...leaving.values()].find((own) => !own.failed && own.text === message.text && own.files.length === (message.files?.length ?? 0));
      if (same) arrived(same);
    } else showTyping(false);
    keepingPlace(() => place(message));
    if (message.from === "bot") announce(shown.get(message.id));
  },
  text({ id, keep, text }) {
    const held = shown.get(id);
    if (!held) return;
    held.entry.text = held.entry.text.slice(0, keep) + text;
    showTyping(false);
    redrawSoon(held);
    announce(held);
  },
  reaction({ id, emoji, from, on }) {
    const held = shown.get(id);
    if (!held) return;
    const others = (held.entry.reactions ?? []).filter((reaction) => !(reaction.emoji === emoji && reaction.from === from));
    held.entry.reactions = on ? [...others, { emoji, from }] : others;
    keepingPlace(() => redraw(held));
    if (on && from === "bot") find("announce").textContent = `The bot reacts with ${emoji} to: ${wordsOf(held.entry)}`;
  },
  removed({ id }) {
    keepingPlace(() => drop(id));
  },
  file_gone({ id, file }) {
    const held = shown.get(id);
    for (const each of held?.entry.files ?? []) if (each.id === file) each.gone = true;
    if (held) keepingPlace(() => redraw(held));
  },
  typing() {
    showTyping(true);
  },
};

// --- the connection --------------------------------------------------------------------------------------

let last = null;
let wake = () => {};
const pause = (ms) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms);
  wake = () => (clearTimeout(timer), resolve());
});
addEventListener("online", () => wake());
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  document.title = title;
  wake();
});

function setState(state, words) {
  find("state").dataset.state = state;
  if (find("state").textContent !== words) find("state").textContent = words;
}

function showProblem(...words) {
  keepingPlace(() => {
    find("problem").replaceChildren(...words);
    find("problem").hidden = words.length === 0;
  });
}

/** Why a request was not answered as it should be, and in how many seconds it may be sent again. */
class Refused extends Error {
  constructor(status, words, wait) {
    super(words);
    this.status = status;
    this.wait = wait;
  }
}

async function ask(path, options) {
  const answer = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  if (answer.ok) return answer;
  const words = await answer.text().catch(() => "");
  throw new Refused(answer.status, words || `The server answers ${answer.status}.`, Number(answer.headers.get("retry-after")) || 0);
}

async function* eventsOf(answer, alive) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    alive();
    text += value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) {
      const lines = event.split("\n");
      const data = lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice(6));
      const id = lines.find((line) => line.startsWith("id: "))?.slice(4);
      if (data.length > 0) yield { id, change: JSON.parse(data.join("\n")) };
    }
  }
}

async function listen() {
  const broken = new AbortController();
  let timer;
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => broken.abort(), SILENCE);
  };
  alive();
  try {
    const answer = await ask("events", { headers: last === null ? {} : { "Last-Event-ID": last }, signal: broken.signal });
    setState("up", "Connected");
    showProblem();
    for await (const { id, change } of eventsOf(answer, alive)) {
      happened[change.type]?.(change);
      if (id !== undefined) last = id;
    }
  } finally {
    clearTimeout(timer);
  }
}

async function begin() {
  const answer = await ask("session", { method: "POST" });
  ({ limits } = await answer.json());
}

async function stayConnected() {
  let failures = 0;
  for (;;) {
    try {
      await begin();
      const from = performance.now();
      await listen().finally(() => {
        if (performance.now() - from > 5000) failures = 0;
      });
      failures += 1;
    } catch (error) {
      failures += 1;
      if (error instanceof Refused) {
        if (error.status === 404) {
          const link = make("a", { href: location.href, target: "_blank", rel: "noopener" }, "Open the chat in a window of its own");
          showProblem("This browser does not keep the chat's cookie here. ", link);
        } else showProblem(error.message);
        failures = Math.max(failures, Math.log2(Math.max(error.wait, 1)) + 1);
      }
    }
    const wait = Math.min(30_000, 500 * 2 ** Math.min(failures, 6)) * (0.75 + Math.random() / 2);
    setState("down", navigator.onLine ? "Connection lost. Trying again…" : "You are offline");
    await pause(failures === 1 ? 300 : wait);
    if (!document.hidden) setState("down", "Connecting…");
  }
}

// --- what is sent ----------------------------------------------------------------------------------------

function answerTo(entry) {
  answered = entry?.id ?? null;
  find("answering").hidden = answered === null;
  find("answering").firstElementChild.textContent = entry ? `Answer to: ${wordsOf(entry)}` : "";
  field.focus();
}
find("answering").lastElementChild.addEventListener("click", () => answerTo(null));

const chosen = [];
function choose(files) {
  const tooLarge = [];
  for (const file of files) {
    const sum = chosen.reduce((sum, each) => sum + each.size, file.size);
    if (sum > limits.bytes || chosen.length >= limits.files) tooLarge.push(file.name);
    else chosen.push(file);
  }
  drawChosen();
  if (tooLarge.length > 0) showProblem(`Not added: ${tooLarge.join(", ")}. A message has at most ${limits.files} files of ${bytes(limits.bytes)} together.`);
  else showProblem();
}
function drawChosen() {
  const items = chosen.map((file) => make("li", {}, make("span", {}, `${file.name} (${bytes(file.size)})`), make("button", { type: "button", "aria-label": `Leave out ${file.name}`, onclick: () => (chosen.splice(chosen.indexOf(file), 1), drawChosen(), field.focus()) }, "✕")));
  find("chosen").replaceChildren(...items);
  find("chosen").hidden = items.length === 0;
  fit();
}
find("attach").addEventListener("click", () => find("files").click());
find("files").addEventListener("change", (event) => {
  choose(event.target.files);
  event.target.value = "";
});
addEventListener("paste", (event) => event.clipboardData?.files.length > 0 && (event.preventDefault(), choose(event.clipboardData.files)));
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => (event.preventDefault(), choose(event.dataTransfer?.files ?? [])));

/** A message on its way: drawn at once, and posted until the server has it or says why not. */
function post(own) {
  own.failed = false;
  own.element ??= make("li", { class: "message visitor waiting" });
  leaving.set(own.key, own);
  drawLeaving(own, "Sending…");
  if (!own.element.isConnected) keepingPlace(() => list.append(own.element));
  list.scrollTop = list.scrollHeight;
  void deliver(own);
}
function drawLeaving(own, words, ...buttons) {
  const files = own.files.map((file) => ({ name: file.name, media_type: file.type, size: file.size, voice: own.voice, url: file.type.startsWith("image/") ? (own.urls[file.name] ??= URL.createObjectURL(file)) : undefined }));
  const meta = make("p", { class: `meta${buttons.length > 0 ? " bad" : ""}`, role: buttons.length > 0 ? "alert" : "status" }, words, ...buttons);
  own.element.replaceChildren(drawBubble({ from: "visitor", text: own.text, reply_to: own.reply, files }), meta);
}
function arrived(own) {
  leaving.delete(own.key);
  own.element.remove();
  for (const url of Object.values(own.urls)) URL.revokeObjectURL(url);
  own.urls = {};
}
function failed(own, words) {
  own.failed = true;
  leaving.set(own.key, own);
  drawLeaving(own, `Not sent: ${words} `, make("button", { type: "button", onclick: () => post(own) }, "Try again"), " ", make("button", { type: "button", onclick: () => keepingPlace(() => arrived(own)) }, "Discard"));
  if (!own.element.isConnected) keepingPlace(() => list.append(own.element));
}
async function deliver(own) {
  for (let attempt = 1; ; attempt += 1) {
    let body;
    let headers = {};
    if (own.files.length > 0) {
      body = new FormData();
      for (const [name, value] of [["key", own.key], ["text", own.text]]) body.append(name, value);
      if (own.reply) body.append("reply_to", own.reply);
      for (const file of own.files) body.append(own.voice ? "voice" : "file", file, file.name);
    } else {
      headers = { "content-type": "application/json" };
      body = JSON.stringify({ key: own.key, text: own.text, reply_to: own.reply });
    }
    try {
      await ask("messages", { method: "POST", headers, body });
      keepingPlace(() => arrived(own));
      return;
    } catch (error) {
      const passes = !(error instanceof Refused) || error.status === 503 || error.status === 429 || error.status === 408;
      const wait = (error instanceof Refused && error.wait) || attempt;
      if (!passes || attempt === 3 || wait > 10) {
        failed(own, error instanceof Refused ? error.message : "the chat cannot be reached.");
        return;
      }
      if (!own.element.isConnected) keepingPlace(() => list.append(own.element));
      drawLeaving(own, error instanceof Refused ? `${error.message} Trying again…` : "Trying again…");
      await pause(wait * 1000);
    }
  }
}
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

function send() {
  const text = field.value.trim();
  if (text === "" && chosen.length === 0) return;
  if ([...text].length > limits.text) {
    showProblem(`A message has at most ${limits.text} characters; this one has ${[...text].length}.`);
    return;
  }
  showProblem();
  post({ key: newKey(), text, reply: answered ?? undefined, files: chosen.splice(0), voice: false, urls: {} });
  field.value = "";
  answerTo(null);
  drawChosen();
}

async function react(entry, emoji, on) {
  try {
    await ask("reactions", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ message: entry.id, emoji, on }) });
  } catch (error) {
    showProblem(error instanceof Refused ? error.message : "The reaction was not sent: the chat cannot be reached.");
  }
}

find("compose").addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});
field.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  send();
});
function fit() {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
  find("send").disabled = field.value.trim() === "" && chosen.length === 0;
}
field.addEventListener("input", fit);
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (recording !== null) discardRecording();
  else if (answered !== null) answerTo(null);
  else if (parent !== window) parent.postMessage("foldback:close", "*");
});

// --- voice -----------------------------------------------------------------------------------------------

let recording = null;
const voiceTypes = ["audio/ogg;codecs=opus", "audio/webm;codecs=opus", "audio/mp4"];
const voiceType = globalThis.MediaRecorder && voiceTypes.find((type) => MediaRecorder.isTypeSupported(type));
find("record").hidden = !(voiceType && navigator.mediaDevices?.getUserMedia);
find("record").addEventListener("click", () => (recording === null ? record() : recording.stop()));

async function record() {
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  } catch {
    showProblem("The microphone cannot be used: the browser or its settings do not allow it.");
    return;
  }
  const pieces = [];
  recording = new MediaRecorder(stream, { mimeType: voiceType });
  recording.addEventListener("dataavailable", (event) => pieces.push(event.data));
  recording.addEventListener("stop", () => {
    for (const track of stream.getTracks()) track.stop();
    const kept = recording !== null;
    recording = null;
    find("record").setAttribute("aria-pressed", "false");
    field.placeholder = "Message";
    const media = voiceType.split(";")[0];
    const file = new File(pieces, `voice.${media.split("/")[1] === "mp4" ? "m4a" : media.split("/")[1]}`, { type: media });
    if (kept && file.size > 0) post({ key: newKey(), text: "", reply: answered ?? undefined, files: [file], voice: true, urls: {} });
    answerTo(null);
  });
  recording.start();
  find("record").setAttribute("aria-pressed", "true");
  field.placeholder = "Recording. Press again to send, Escape to discard.";
}
function discardRecording() {
  const ended = recording;
  recording = null;
  ended.stop();
}

const title = document.title;
fit();
void stayConnected();
