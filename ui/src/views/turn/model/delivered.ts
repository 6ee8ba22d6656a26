// What a turn delivered to the agent, and the turns that its own actions led to, as rows for people to read.

import type { DeliveryAccepted, DeliveryRequest, ResultItem } from "../../../generated/wire";
import { bytes } from "../../../store/format";
import type { ToldRow } from "./told";

const WHAT = { output: "Result", event: "Event", error: "Error" } as const;

/** A piece of a result. What is left out of its middle is counted. */
function itemRow({ label, text, tail, omitted, exit, note }: ResultItem): ToldRow {
  const ends = [exit === undefined ? "" : `exit status ${String(exit)}`, note ?? ""].filter((end) => end !== "");
  const what = [label, ...ends].join(", ");
  if (omitted === undefined) return { what, text };
  return { what, text: `${text}\n… ${bytes(omitted[1] - omitted[0])} left out …\n${tail ?? ""}` };
}

/** The rows of a turn's delivery, with the turn that asked for it, and of the delivery turns that followed from it. */
export function delivered(request: DeliveryRequest | undefined, ledTo: readonly DeliveryAccepted[] = []): ToldRow[] {
  const rows: ToldRow[] = [];
  if (request !== undefined) {
    const { action, outcome, cause, items } = request;
    const asked = cause === undefined ? "delivered from outside" : `asked for in turn #${String(cause)}`;
    rows.push({ what: `${WHAT[outcome]} of ${action.name}, ${asked}`, text: action.command ?? "" }, ...(items ?? []).map(itemRow));
  }
  rows.push(...ledTo.map(({ turn, id }) => ({ what: "Result delivered in", text: `turn #${String(turn)} (${id})` })));
  return rows;
}
