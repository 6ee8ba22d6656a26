// What the bench says: a table, and what does not hold.

/** Least time between two messages of a view, in ms: `FRAME` of src-tauri/api/src/live/frames.rs. */
const spacing = 20;
/** Rows asked for beyond the edges of the screen: twice `SPARE` of ui/src/parts/Grid.svelte. */
const spare = 40;

const whole = (value) => (value === null ? "–" : Math.round(value).toLocaleString("en"));
const short = (value) => value.toFixed(value < 10 ? 2 : 1);
const percent = (value) => `${Math.round(100 * value)} %`;
const rate = (phase) => phase.frames / phase.seconds;

/** The table, as Markdown. `phases` are named columns; `idle` is what their frames are compared with. */
export function table(phases, idle) {
  const rows = {
    "events a second, from the journal": (p) => whole(p.rate),
    "frames a second": (p) => short(rate(p)),
    "÷ those of the idle window": (p) => short(rate(p) / idle),
    "longest frame, ms": (p) => whole(p.longest),
    "messages a frame": (p) => short(p.messages / p.frames),
    "most messages between two frames": (p) => whole(p.mostInAFrame),
    "most messages unacknowledged": (p) => whole(p.unacknowledged),
    "other messages a second": (p) => short(p.others / p.seconds),
    "bytes a message, median and most": (p) => `${whole(p.bytes.half)}, ${whole(p.bytes.worst)}`,
    "rows in a message, most": (p) => whole(p.rowsSent),
    "rows in the page, most": (p) => whole(p.rows),
    "elements in the page, most": (p) => whole(p.elements),
    "event to pixel, ms: median, 99 %": (p) => `${whole(p.delay.half)}, ${whole(p.delay.most)}`,
    "the newest event of a frame to pixel, ms: median, 99 %": (p) => `${whole(p.newest.half)}, ${whole(p.newest.most)}`,
    "behind the journal at the end, ms": (p) => whole(p.behindMs),
    "events left out of the view": (p) => whole(p.dropped),
    "of a core: page, app": (p) => `${percent(p.cores.page)}, ${percent(p.cores.app)}`,
  };
  const names = Object.keys(phases);
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    line(["", ...names]),
    line(["---", ...names.map(() => "---:")]),
    ...Object.entries(rows).map(([title, cell]) => line([title, ...names.map((name) => cell(phases[name]))])),
  ].join("\n");
}

/** Every bound that a phase breaks, in words; `room` is how many rows fit on the screen. */
export function broken(name, phase, room) {
  const bounds = [
    // Two may be on their way at the edges of a phase.
    ["messages", phase.messages, phase.frames + 2, "one for each frame drawn"],
    ["messages", phase.messages, (phase.seconds * 1000) / spacing + 2, `one in ${spacing} ms`],
    ["unacknowledged messages", phase.unacknowledged, 2, "two"],
    ["rows in the page", phase.rows, room + 1, "what fits on the screen"],
    ["rows in a message", phase.rowsSent, room + 1 + spare, "what fits on the screen, and the spare ones"],
  ];
  return bounds
    .filter(([, value, most]) => value > most)
    .map(([what, value, most, words]) => `${name}: ${value} ${what}, at most ${Math.floor(most)} (${words})`);
}
