import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import demo from "../../../recordings/demo";
import type { ExportPreview } from "../../generated/wire";
import type { Recording } from "../../host/recorded";
import { byId, calls, click, layOut, settle, stage, type } from "../../test/stage";
import { choicesOfTurn, scopeOf } from "./choices";
import ExportDialog from "./ExportDialog.svelte";
import { localMinute, momentOf } from "./range";
import ReportDialog from "./ReportDialog.svelte";

beforeEach(layOut);
afterEach(cleanup);

const preview: ExportPreview = {
  turns: [10], bytes: 48_211, path: "/data/exports/turn-10.html", masked_before: 2,
  masks: [{ secrets: "sk", about: "API keys", place: "the prompt", count: 3, turns: [10] }],
};
const recording: Recording = {
  ...demo,
  pushes: [],
  calls: [
    { name: "export_preview", args: { scope: { of: "turns", turns: [99] } }, failure: { code: "not_found", message: "There is no turn 99.", hint: null } },
    { name: "export_preview", result: preview },
    { name: "export", result: { path: "/data/exports/turn-10.html", bytes: 48_211 } },
    { name: "report", result: { path: "/data/exports/report.html", bytes: 9 } },
    ...demo.calls,
  ],
};

describe("the export of turns", () => {
  it("says what redaction takes out before anything is written, and then writes what was chosen", async () => {
    const onclose = vi.fn();
    const { host } = await stage(ExportDialog, { choices: choicesOfTurn(10, "telegram:42"), onclose }, recording);
    expect(byId("export-preview").textContent).toContain("1 turn (#10), 48,211 B. Masks 3 secrets:");
    expect(byId("export-mask").textContent).toBe("3 × API keys in the prompt, turn #10");
    expect(byId("export-preview").textContent).toContain("The journal had masked 2 secrets already.");
    expect(calls(host, "export")).toEqual([]);
    await click(byId("export-what-session"));
    await click(byId("export-format-markdown"));
    expect(calls(host, "export_preview").at(-1)).toEqual({ scope: { of: "session", session: "telegram:42" }, format: "markdown" });
    await type(byId("export-path"), "/tmp/mine.md");
    (byId("export-path") as HTMLInputElement).form?.requestSubmit();
    await settle();
    expect(calls(host, "export")).toEqual([{ scope: { of: "session", session: "telegram:42" }, format: "markdown", path: "/tmp/mine.md" }]);
    expect(byId("toast").textContent).toContain("Saved /data/exports/turn-10.html.");
    expect(onclose).toHaveBeenCalledTimes(1);
  });

  it("proposes a path until a person wrote one, or emptied the field", async () => {
    await stage(ExportDialog, { choices: choicesOfTurn(10, "telegram:42"), onclose: vi.fn() }, recording);
    const field = byId("export-path") as HTMLInputElement;
    expect(field.value).toBe(preview.path);
    await type(field, "");
    await click(byId("export-format-markdown"));
    expect(field.value).toBe("");
  });

  it("takes the numbers of several turns, and says why some cannot be exported", async () => {
    const { host } = await stage(ExportDialog, { choices: choicesOfTurn(10, null), onclose: vi.fn() }, recording);
    await click(byId("export-what-turns"));
    await type(byId("export-turns"), "#10, 12");
    expect(calls(host, "export_preview").at(-1)).toEqual({ scope: { of: "turns", turns: [10, 12] }, format: "html" });
    await type(byId("export-turns"), "99");
    expect(byId("export-preview").textContent).toContain("There is no turn 99.");
    expect((byId("export-save") as HTMLButtonElement).disabled).toBe(true);
    await type(byId("export-turns"), "ten");
    expect(byId("export-preview").textContent).toContain("Write the numbers of the turns");
  });

  it("reads numbers with any separator, and nothing else", () => {
    const several = { id: "turns", title: "", scope: null };
    expect(scopeOf(several, " 1;#2\n3 ")).toEqual({ of: "turns", turns: [1, 2, 3] });
    for (const text of ["", " ", "1.5", "-1", "1,x", "9".repeat(16)]) expect(scopeOf(several, text)).toBeNull();
  });
});

describe("the shift report", () => {
  it("covers the last eight hours and is written where the person says", async () => {
    const onclose = vi.fn();
    const { host } = await stage(ReportDialog, { onclose }, recording);
    await click(byId("report-format-markdown"));
    expect((byId("report-path") as HTMLInputElement).value).toMatch(/^report-\d{12}\.md$/);
    await type(byId("report-path"), "night.md");
    await click(byId("report-save"));
    const [asked] = calls(host, "report") as { since: string; until: string; format: string; path: string }[];
    expect([asked?.format, asked?.path]).toEqual(["markdown", "night.md"]);
    expect(new Date(asked?.until ?? 0).getTime() - new Date(asked?.since ?? 0).getTime()).toBe(8 * 3_600_000 + 60_000);
    expect(onclose).toHaveBeenCalledTimes(1);
  });

  it("waits for both ends of its range", async () => {
    await stage(ReportDialog, { onclose: vi.fn() }, recording);
    await type(byId("report-since"), "");
    await settle();
    expect((byId("report-save") as HTMLButtonElement).disabled).toBe(true);
  });

  it("keeps a moment over a field for date and time, to the minute", () => {
    const ms = new Date(2026, 10, 27, 6, 5, 42).getTime();
    expect(localMinute(ms)).toBe("2026-11-27T06:05");
    expect(momentOf(localMinute(ms))).toBe(new Date(2026, 10, 27, 6, 5).toISOString());
    expect(momentOf("")).toBeNull();
  });
});
