/** The player of voice notes: what it asks for, what it plays, and what it says where it cannot. */
import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import demo from "../../../recordings/demo";
import type { VoiceOf } from "../../generated/wire";
import { RecordedHost, type Exchange } from "../../host/recorded";
import { byId, calls, click, layOut, settle, SlowHost, stage } from "../../test/stage";
import { clock, decode, heights } from "./voice";
import VoiceNote from "./VoiceNote.svelte";

const kept: VoiceOf = { of: "kept", name: "ab12" };
const answer: Exchange = { name: "voice", result: { base64: btoa("OggS and so on"), duration_ms: 2_400, peaks: [0, 50, 100, 20] } };
const refusal: Exchange = { name: "voice", failure: { code: "no_voice", message: "This voice note cannot be heard: it is not kept any more.", hint: null } };

let made: Blob[] = [];
let revoked: string[] = [];
let begun: HTMLAudioElement[] = [];
beforeEach(() => {
  layOut();
  [made, revoked, begun] = [[], [], []];
  // jsdom has neither blob addresses nor sound.
  URL.createObjectURL = (blob) => `blob:${made.push(blob as Blob)}`;
  URL.revokeObjectURL = (url) => void revoked.push(url);
  HTMLMediaElement.prototype.play = function (this: HTMLAudioElement) {
    begun.push(this);
    this.dispatchEvent(new Event("playing"));
    return Promise.resolve();
  };
  HTMLMediaElement.prototype.pause = function (this: HTMLAudioElement) {
    this.dispatchEvent(new Event("pause"));
  };
});
afterEach(() => (cleanup(), vi.restoreAllMocks()));

const show = (props: Record<string, unknown>, exchange = answer): ReturnType<typeof stage> => {
  const recording = { ...demo, calls: [exchange, ...demo.calls] };
  return stage(VoiceNote as never, { note: true, ...props }, recording, new RecordedHost(recording));
};
const state = (): string | undefined => byId("voice-note").dataset["state"];
const drawn = (root: HTMLElement): string[] => [...root.querySelectorAll<HTMLElement>(".wave i")].map((bar) => bar.style.height);

describe("a voice note", () => {
  it("loads nothing until it is played, then plays what was spoken and draws its shape", async () => {
    const { host, root } = await show({ sound: kept, durationMs: 2_400 });
    expect(state()).toBe("ready");
    expect(root.textContent).toContain("0:02");
    expect(calls(host, "voice")).toEqual([]);
    expect(byId("voice-play").getAttribute("aria-label")).toBe("Play voice note");

    await click(byId("voice-play"));
    expect(calls(host, "voice")).toEqual([kept]);
    expect(state()).toBe("playing");
    expect(begun[0]?.src).toBe("blob:1");
    expect(made[0]?.type).toBe("audio/ogg");
    expect(made[0]?.size).toBe("OggS and so on".length);
    expect(drawn(root)).toEqual(["6%", "50%", "100%", "20%"]);
    expect(byId("voice-play").getAttribute("aria-label")).toBe("Pause voice note");

    await click(byId("voice-play"));
    expect(state()).toBe("ready");
    await click(byId("voice-play"));
    expect(calls(host, "voice")).toHaveLength(1);
    byId("voice-audio").dispatchEvent(new Event("ended"));
    await settle();
    expect(state()).toBe("ready");
  });

  it("is moved with the keyboard's own slider, which says where it stands", async () => {
    const { root } = await show({ sound: kept });
    await click(byId("voice-play"));
    const slider = byId("voice-seek") as HTMLInputElement;
    expect([slider.type, slider.max, slider.getAttribute("aria-label")]).toEqual(["range", "2.4", "Position"]);
    slider.value = "1.5";
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await settle();
    expect((byId("voice-audio") as HTMLAudioElement).currentTime).toBe(1.5);
    expect(slider.getAttribute("aria-valuetext")).toBe("0:02 of 0:02");
    expect(root.querySelectorAll(".wave i.heard")).toHaveLength(3);
  });

  it("asks for the words of a preview", async () => {
    const words: VoiceOf = { of: "words", text: "Hey" };
    const { host } = await show({ sound: words, note: false });
    await click(byId("voice-play"));
    expect(calls(host, "voice")).toEqual([words]);
    expect(byId("voice-note").getAttribute("aria-label")).toBe("Audio attachment");
  });

  it("says that it is gone, and why it cannot be heard", async () => {
    await show({});
    expect(state()).toBe("gone");
    expect(byId("voice-gone").textContent).toContain("not kept");
    expect(document.querySelector("[data-testid='voice-play']")).toBeNull();
    cleanup();

    await show({ sound: kept }, refusal);
    await click(byId("voice-play"));
    expect(state()).toBe("trouble");
    expect(byId("voice-trouble").textContent).toContain("not kept any more");
    expect(byId("voice-trouble").getAttribute("role")).toBe("status");
    expect(begun).toEqual([]);
  });

  it("says what is missing where the window cannot decode it", async () => {
    await show({ sound: kept });
    HTMLMediaElement.prototype.play = () => Promise.reject(new DOMException("no decoder", "NotSupportedError"));
    await click(byId("voice-play"));
    expect(byId("voice-trouble").textContent).toContain("GStreamer");
  });

  it("keeps and plays nothing that comes when it is gone", async () => {
    const recording = { ...demo, calls: [answer, ...demo.calls] };
    const host = new SlowHost(recording, "voice");
    const thrown = vi.fn();
    process.on("unhandledRejection", thrown);
    await stage(VoiceNote as never, { note: true, sound: kept }, recording, host);
    await click(byId("voice-play"));
    cleanup();
    await host.answer();
    expect([made, begun, thrown.mock.calls]).toEqual([[], [], []]);
    process.off("unhandledRejection", thrown);
  });

  it("gives its bytes back when it goes", async () => {
    await show({ sound: kept });
    await click(byId("voice-play"));
    cleanup();
    expect(revoked).toEqual(["blob:1"]);
  });
});

describe("what it needs", () => {
  it("draws the shape of a quiet note as that of a loud one, and silence flat", () => {
    expect(heights([5, 10, 20])).toEqual([25, 50, 100]);
    expect(heights([25, 50, 100])).toEqual([25, 50, 100]);
    expect(heights([0, 0])).toEqual([6, 6]);
    expect(Math.max(...heights([0, 1, 0])), "a rustle is no voice").toBe(20);
  });

  it("reads base64 and writes times", () => {
    expect([...decode(btoa("\u0000\u00ff1"))]).toEqual([0, 255, 49]);
    expect([0, 7.4, 59.6, 750].map(clock)).toEqual(["0:00", "0:07", "1:00", "12:30"]);
  });
});
