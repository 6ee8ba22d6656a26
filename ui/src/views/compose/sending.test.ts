import { cleanup, fireEvent, render } from "@testing-library/svelte";
import type { Component } from "svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { byId, calls, click, layOut, press, settle } from "../../test/stage";
import Stage from "../../test/Stage.svelte";
import ComposeView from "./ComposeView.svelte";
import { all, editor, open, write } from "./test/stage";

beforeEach(layOut);
afterEach(cleanup);

describe("sending", () => {
  it("goes through the chosen channel and on to its turn", async () => {
    const { host, console } = await open();
    write("compose-output", "Hello");
    await settle();
    await click(byId("send-discord"));
    expect(calls(host, "compose_send")).toEqual([{ channel: "discord", user_text: "How was my talk?", agent_output: "Hello", dry_run: true }]);
    expect(console.view).toBe("turn");
    expect(console.selected?.turn).toBe(812);
  });

  it("works from the keyboard, in the editor", async () => {
    const { host } = await open();
    await press(byId("compose-output").querySelector(".cm-content") as Element, "Enter", { ctrlKey: true });
    expect(calls(host, "compose_send")).toHaveLength(1);
  });

  it("can leave the answer to the agent", async () => {
    const { host } = await open();
    await click(byId("answers-agent"));
    await click(byId("compose-send"));
    expect(calls(host, "compose_send").at(-1)).toMatchObject({ agent_output: null });
  });

  it("reaches no platform unless somebody says so", async () => {
    const { console, host } = await open();
    const card = console.channel("telegram");
    if (card === undefined) throw new Error("no telegram");
    console.updateChannel({ ...card, armed: true });
    await settle();
    await click(byId("send-telegram"));
    expect(calls(host, "compose_send")).toMatchObject([{ dry_run: true }]);
  });

  it("acts on the simulation of what is simulated, unless it is to be a dry run", async () => {
    const { console, host } = await open();
    const card = console.channel("discord");
    if (card === undefined) throw new Error("no discord");
    console.updateChannel({ ...card, armed: true, simulated: true });
    await settle();
    await click(byId("send-discord"));
    expect(calls(host, "compose_send")).toMatchObject([{ dry_run: false }]);
  });

  it("asks once before it goes out for real", async () => {
    const { console, host } = await open();
    const card = console.channel("telegram");
    if (card === undefined) throw new Error("no telegram");
    console.updateChannel({ ...card, armed: true });
    await settle();
    await click(byId("choose-telegram"));
    await click(byId("compose-dry"));
    await click(byId("send-telegram"));
    expect(calls(host, "compose_send")).toHaveLength(0);
    byId("confirm").closest("form")?.requestSubmit();
    await settle();
    expect(calls(host, "compose_send")).toMatchObject([{ dry_run: false }]);
  });

  it("takes files along, once", async () => {
    const { host } = await open();
    const choose = async (...files: File[]): Promise<void> => {
      await fireEvent.change(byId("compose-files"), { target: { files } });
      await settle();
    };
    await choose(new File(["hello"], "a.txt", { type: "text/plain" }), new File([], "b.bin"));
    await choose(new File(["x"], "c.txt"));
    await click(all("compose-detach")[2] as HTMLElement);
    await click(byId("send-discord"));
    await vi.waitFor(() => expect(calls(host, "compose_send")).toHaveLength(1));
    expect(calls(host, "compose_send")).toMatchObject([
      { files: [{ name: "a.txt", media_type: "text/plain", base64: "aGVsbG8=" }, { name: "b.bin", media_type: "", base64: "" }] },
    ]);
    await settle();
    expect(all("compose-detach")).toEqual([]);
  });

  it("names a file that cannot be read, and can be sent without it", async () => {
    const { host } = await open();
    const lost = new File(["x"], "lost.txt");
    const read = vi.spyOn(FileReader.prototype, "readAsDataURL").mockImplementation(function (this: FileReader) {
      // A file that was deleted after it was chosen.
      queueMicrotask(() => this.dispatchEvent(new ProgressEvent("error")));
    });
    await fireEvent.change(byId("compose-files"), { target: { files: [lost] } });
    await settle();
    await click(byId("send-discord"));
    expect(byId("toast").textContent).toContain("lost.txt");
    expect(calls(host, "compose_send")).toEqual([]);
    read.mockRestore();
    await click(byId("compose-detach"));
    await click(byId("send-discord"));
    expect(calls(host, "compose_send")).toHaveLength(1);
  });

  it("takes no file that the simulated platforms would not keep, alone or with the others", async () => {
    await open();
    const sized = (name: string, size: number): File => Object.defineProperty(new File([], name), "size", { value: size });
    await fireEvent.change(byId("compose-files"), { target: { files: [sized("huge.bin", 64_000_001), sized("a.bin", 40_000_000), sized("b.bin", 30_000_000), sized("c.bin", 24_000_000)] } });
    await settle();
    expect(all("compose-detach").map((button) => button.title)).toEqual(["Remove a.bin", "Remove c.bin"]);
    expect(byId("toast").textContent).toMatch(/huge\.bin, b\.bin.*64 MB/s);
  });

  it("does not go through a channel that is off", async () => {
    // In the recording WhatsApp is off.
    const { host } = await open();
    expect((byId("send-whatsapp") as HTMLButtonElement).disabled).toBe(true);
    await click(byId("send-whatsapp"));
    expect(calls(host, "compose_send")).toHaveLength(0);
  });

  it("says why a channel that is off sends nothing, and leads to its switch", async () => {
    const { console } = await open();
    expect(byId("send-whatsapp").title).toBe("whatsapp is off: switch it on in Channels");
    await click(byId("choose-whatsapp"));
    expect(byId("compose-off").textContent).toContain("whatsapp is off");
    await click(byId("compose-off"));
    expect(console.view).toBe("channels");
  });

  it("keeps to its channel when that is switched off", async () => {
    const { console, host } = await open();
    const card = console.channels.find((c) => c.on);
    if (card === undefined) throw new Error("every channel is off");
    console.updateChannel({ ...card, on: false });
    await settle();
    expect(byId("compose-send").textContent).toContain(`Send through ${card.channel}`);
    await press(byId("compose-output").querySelector(".cm-content") as Element, "Enter", { ctrlKey: true });
    expect(calls(host, "compose_send")).toEqual([]);
    expect(console.announcement).toContain(`${card.channel} is off`);
  });

  it("keeps to its channel over a look elsewhere, where it was switched off", async () => {
    const { console } = await open();
    await click(byId("choose-discord"));
    cleanup();
    render(Stage, { props: { console, component: ComposeView as Component<Record<string, unknown>> } });
    await settle();
    // The stage reads the channels again, so it is switched off once they are there.
    const card = console.channel("discord");
    if (card === undefined) throw new Error("the recording has no discord");
    console.updateChannel({ ...card, on: false, state: "off" });
    await settle();
    expect((byId("compose-send") as HTMLButtonElement).disabled).toBe(true);
    expect(byId("compose-send").textContent).toContain("Send through discord");
    expect(byId("compose-off").textContent).toContain("discord is off");
  });

  it("says in its preview's head that a channel is off or down", async () => {
    const { console } = await open();
    const head = (channel: string): string => document.querySelector(`[data-channel="${channel}"] header`)?.textContent ?? "";
    const card = console.channel("discord");
    if (card === undefined) throw new Error("the recording has no discord");
    console.updateChannel({ ...card, on: true, state: "up" });
    await settle();
    expect(head("discord")).not.toMatch(/off|down/);
    console.updateChannel({ ...card, on: true, state: "down" });
    await settle();
    expect(head("discord")).toMatch(/down/);
    console.updateChannel({ ...card, on: false, state: "off" });
    await settle();
    expect(head("discord")).toMatch(/off/);
    expect(head("discord")).not.toMatch(/down/);
  });

  it("is remembered: up calls it back, down returns to the draft", async () => {
    await open();
    write("compose-output", "first");
    await settle();
    await click(byId("send-discord"));
    write("compose-output", "second");
    await settle();
    const user = byId("compose-user").querySelector(".cm-content") as Element;
    await press(user, "ArrowUp", { altKey: true });
    expect(editor("compose-output").state.doc.toString()).toBe("first");
    await press(user, "ArrowDown", { altKey: true });
    expect(editor("compose-output").state.doc.toString()).toBe("second");
    editor("compose-user").dispatch({ selection: { anchor: 0 } });
    await press(user, "ArrowUp");
    expect(editor("compose-output").state.doc.toString()).toBe("first");
  });
});
