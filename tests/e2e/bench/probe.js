// What is counted inside the page. It listens where the messages of the shell come in and where the page's requests
// go out, so that the app itself needs nothing for it and is measured as it is shipped.

/** Installed in the page; must not use anything from outside itself. */
export function install() {
  const shell = window.__TAURI_INTERNALS__;
  const find = Map.prototype.get.bind(shell.callbacks);
  const send = window.fetch.bind(window);
  let counts;
  let latest = null;
  /** Numbers of the frames that came and are not acknowledged. */
  let owed = [];
  /** Last place of the journal that was painted. */
  let painted = 0;
  let stall = 0;

  const fresh = () => ({
    from: Date.now(), frames: 0, longest: 0, messages: 0, thisFrame: 0, mostInAFrame: 0, unacknowledged: 0,
    others: 0, rows: 0, rowsSent: 0, elements: 0, samples: [], delays: [], newest: [], heads: [], dropped: 0,
  });

  shell.callbacks.get = (id) => {
    const callback = find(id);
    return callback && ((data) => (note(data?.message), callback(data)));
  };

  function note(text) {
    if (typeof text !== "string" || !text.startsWith('{"push"')) return;
    const message = JSON.parse(text);
    if (message.push !== "frame") return void (counts.others += 1);
    latest = message.frame;
    owed.push(latest.serial);
    counts.messages += 1;
    counts.thisFrame += 1;
    counts.unacknowledged = Math.max(counts.unacknowledged, owed.length);
    counts.rowsSent = Math.max(counts.rowsSent, linesOf(latest).length);
    if (counts.messages % 50 === 1) counts.samples.push(new TextEncoder().encode(text).length);
  }

  window.fetch = (url, options) => {
    if (String(url).endsWith("/rpc") && typeof options?.body === "string" && options.body.includes('"view_ack"')) {
      const { serial: acknowledged } = JSON.parse(options.body).args;
      owed = owed.filter((serial) => serial > acknowledged);
      // The latest is drawn now, and on the screen when the next frame begins.
      const frame = latest;
      requestAnimationFrame(() => onScreen(frame));
    }
    return send(url, options);
  };

  /** Rows of events or of turns. */
  const linesOf = (frame) => (frame.turns.length > 0 ? frame.turns : frame.rows);

  function onScreen(frame) {
    const now = Date.now();
    // A row of a turn has no time of its own: it is changed by all events since the last frame, whose times are asked for
    // later.
    if (frame.turns.length > 0) {
      if (frame.head > painted) counts.heads.push({ before: painted, seq: frame.head, now });
      painted = Math.max(painted, frame.head);
      counts.dropped = frame.dropped;
      return;
    }
    const last = frame.rows.at(-1);
    if (last !== undefined && last.seq > painted) counts.newest.push(now - Date.parse(last.at));
    for (const { seq, at } of frame.rows.slice(-visible())) {
      if (seq > painted) counts.delays.push(now - Date.parse(at));
    }
    painted = Math.max(painted, last?.seq ?? 0);
    counts.dropped = frame.dropped;
  }

  const lines = ':is([data-testid="events"], [data-testid="turn-list"]) [data-index]';
  const visible = () => document.querySelectorAll(lines).length;

  let before = performance.now();
  const tick = () => {
    const now = performance.now();
    counts.frames += 1;
    counts.longest = Math.max(counts.longest, now - before);
    before = now;
    counts.mostInAFrame = Math.max(counts.mostInAFrame, counts.thisFrame);
    counts.thisFrame = 0;
    counts.rows = Math.max(counts.rows, visible());
    counts.elements = Math.max(counts.elements, document.getElementsByTagName("*").length);
    requestAnimationFrame(tick);
    // A page with too much to do.
    while (stall > 0 && performance.now() - now < stall);
  };

  const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;

  const quantiles = (values) => {
    values.sort((a, b) => a - b);
    return { half: quantile(values, 0.5), most: quantile(values, 0.99) };
  };

  const timeOf = async (seq) => Date.parse((await shell.invoke("rpc", { workspace: 0, name: "event", args: { seq } })).row.at);

  /** Place of the last event up to a moment: places have no holes, so their differences count events. */
  async function placeAt(moment, head) {
    let [low, high] = [0, head];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((await timeOf(middle)) <= moment) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  window.probe = {
    /** Begins to count anew; each frame then takes at least `slowness` ms. */
    begin(slowness = 0) {
      stall = slowness;
      counts = fresh();
      before = performance.now();
    },
    /** What was counted. */
    end() {
      const { samples, delays, newest, thisFrame, ...sums } = counts;
      const bytes = samples.sort((a, b) => a - b);
      const figures = { seconds: (Date.now() - sums.from) / 1000, to: Date.now(), shown: painted };
      stall = 0;
      return { ...sums, ...figures, delay: quantiles(delays), newest: quantiles(newest), bytes: { half: quantile(bytes, 0.5), worst: bytes.at(-1) ?? null } };
    },
    /** How much fits on the screen, in rows. */
    room() {
      const row = document.querySelector(lines);
      return Math.ceil(row.parentElement.clientHeight / row.clientHeight);
    },
    /** What the journal says about a stretch of time, when its last place is `head`. */
    async inside({ from, to, seconds, shown, heads, delay, newest }, head) {
      const [first, last] = [await placeAt(from, head), await placeAt(to, head)];
      const [any, latest] = [[], []];
      // Every so many, so that there are 400 questions at most; of each frame another part of its events.
      const step = Math.ceil(heads.length / 200) || 1;
      for (let place = 0; place < heads.length; place += step) {
        const { before, seq, now } = heads[place];
        latest.push(now - (await timeOf(seq)));
        if (before > 0) any.push(now - (await timeOf(seq - Math.floor(((place * 0.618) % 1) * (seq - before)))));
      }
      const late = heads.length > 0 ? { delay: quantiles(any), newest: quantiles(latest) } : { delay, newest };
      return { rate: (last - first) / seconds, behindMs: to - (await timeOf(Math.max(1, shown))), ...late };
    },
  };
  window.probe.begin();
  requestAnimationFrame(tick);
}
