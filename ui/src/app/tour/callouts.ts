/** What the tour says at its stops, and about what on the screen. */
import type { DemoTopic } from "../../generated/wire";
import type { ActionId } from "../actions";

export interface Callout {
  /** What it is about: a selector within the Turn view; several elements are taken as one. */
  readonly anchor: string;
  readonly title: string;
  readonly text: string;
  /** Actions whose keys help here. */
  readonly keys?: readonly ActionId[];
}

export const topicTitles: Readonly<Record<DemoTopic, string>> = {
  held: "Held",
  stripped: "Stripped",
  rate_limited: "Rate limited",
  silent: "Silent",
  failed: "Failed",
};

const byId = (id: string): string => `[data-testid="${id}"]`;
const bytes = (fate: string): string => `${byId("raw-text")} [data-fate="${fate}"]`;

/** The callouts of each stop, in the order they are read. */
export const callouts: Readonly<Record<DemoTopic, readonly Callout[]>> = {
  held: [
    { anchor: `${byId("chat")} > *`, title: "What the user sees", text: "This is the chat at this moment. The agent has begun its answer, and nothing of it shows yet." },
    { anchor: bytes("held"), title: "What is held", text: "These bytes came from the agent. They belong to a directive that is not complete, so Foldback holds them back." },
    {
      anchor: byId("why-card"), title: "Why it is held", keys: ["turn.decision.previous", "turn.decision.next", "turn.why"],
      text: "The card names the decision, its rule, and what releases the bytes. Step from decision to decision, and every pane follows.",
    },
  ],
  stripped: [
    { anchor: bytes("strip"), title: "What is stripped", text: "This directive was complete, so Foldback took it out of the text and sent the file that it names." },
  ],
  rate_limited: [
    { anchor: byId("why-card"), title: "Why it waits", text: "The platform refused the call and asked to wait. The delivery stays in the outbox and is tried again by itself." },
  ],
  silent: [
    { anchor: byId("why-card"), title: "Why nothing was sent", text: "The agent wrote a marker for “no reply”. Foldback sends nothing, and no byte of the marker reaches the chat." },
  ],
  failed: [
    { anchor: byId("why-card"), title: "Why the turn failed", text: "The agent’s stream broke off. What it said before stays in the chat, and the failure is an alarm in the top bar." },
  ],
};

/** What no callout covers while there is room elsewhere. */
export const KEPT_CLEAR = [byId("chat"), byId("hold-map"), byId("why-card"), byId("view-time"), byId("tour"), bytes("held"), bytes("strip")].join(", ");
