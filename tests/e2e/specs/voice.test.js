import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Key } from "webdriverio";
import { at, go, press, shows, write } from "../harness/page.js";
import { open, picture } from "../harness/window.js";

const config = `
[speech]
backend = "tone"

[channels.telegram]
kind = "loopback"
platform = "telegram"
armed = true
allow_from = ["*"]
`;

/** What an Ogg/Opus file says of itself: its channels, and where its last page ends (RFC 7845). */
async function look(file) {
  const bytes = await readFile(file);
  const head = bytes.indexOf("OpusHead");
  const last = bytes.lastIndexOf("OggS");
  assert.ok(head > 0 && last > head, "it is Ogg with Opus");
  const preSkip = bytes.readUInt16LE(head + 10);
  return {
    channels: bytes[head + 9],
    rate: bytes.readUInt32LE(head + 12),
    seconds: (Number(bytes.readBigUInt64LE(last + 6)) - preSkip) / 48_000,
  };
}

/** Plays the note that is shown, and answers what its element says when it has reached its end. */
const play = (browser) =>
  browser.executeAsync((done) => {
    const audio = document.querySelector('[data-testid="chat"] [data-testid="voice-audio"]');
    const told = (event) => done({ event, reached: audio.currentTime, duration: audio.duration, error: audio.error?.message ?? null });
    audio.addEventListener("ended", () => told("ended"), { once: true });
    audio.addEventListener("error", () => told("error"), { once: true });
    document.querySelector('[data-testid="chat"] [data-testid="voice-play"]').click();
  });

describe("a voice note in the window", () => {
  let window;
  before(async () => (window = await open({ config })));
  after(() => window?.close());

  it("is spoken, sent, and plays to its end in its own length", async () => {
    const { browser, folder } = window;
    await browser.setTimeout({ script: 60_000 });
    await go(browser, "compose");
    await write(browser, "compose-output", "<actions><voice>Five words make a note</voice></actions>And in writing");
    await press(browser, Key.Ctrl, Key.Enter);
    await (await at(browser, "view-turn")).waitForDisplayed();
    await shows(browser, "chat", /voice note[\s\S]*Five words make a note[\s\S]*And in writing/);

    const [name] = await readdir(join(folder, "voices"));
    const file = await look(join(folder, "voices", name));
    assert.deepEqual([file.channels, file.rate], [1, 48_000]);
    assert.equal(file.seconds, 1.5);

    const { event, reached, duration, error } = await play(browser);
    assert.equal(event, "ended", error);
    assert.ok(Math.abs(duration - file.seconds) < 0.2, `it takes ${duration} s, and the file ${file.seconds} s`);
    assert.ok(Math.abs(reached - file.seconds) < 0.2, `it ended at ${reached} s`);
    assert.equal((await browser.$$('[data-testid="chat"] .wave i')).length, 48);
    await picture(browser, "voice-note");
  });
});
