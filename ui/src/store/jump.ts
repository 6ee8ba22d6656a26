import type { EventRow } from "../generated/wire";
import type { Host } from "../host/host";
import { JournalView } from "./view";

/**
 * The nearest event that matches `condition` beside `filter`, seen from a place in the journal. Asks a second window
 * of one row, so the answer is right however far away it is.
 */
export async function jump(host: Host, filter: string, condition: string, seq: number, step: 1 | -1): Promise<EventRow | null> {
  const view = new JournalView(host, (draw) => draw());
  view.following = false;
  try {
    await view.open(filter.trim() === "" ? condition : `(${filter}) ${condition}`);
    const length = (await arrived(view, () => view.frame !== null && !view.frame.scanning)).frame?.length ?? 0;
    const found = await view.find(step > 0 ? seq + 1 : seq);
    const index = step > 0 ? found : (found ?? length) - 1;
    if (index === null || index < 0 || index >= length) return null;
    view.window(index, 1);
    return (await arrived(view, () => view.row(index) !== undefined)).row(index) ?? null;
  } finally {
    view.close();
  }
}

function arrived(view: JournalView, ready: () => boolean): Promise<JournalView> {
  if (ready()) return Promise.resolve(view);
  return new Promise((resolve) => {
    const stop = view.listen(() => {
      if (!ready()) return;
      stop();
      resolve(view);
    });
  });
}
