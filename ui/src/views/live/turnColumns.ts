/** The columns of Live's turns. The question is what a row is known by: what else there is comes where it leaves it room. */
import type { OfferedColumn } from "../../state/columns.svelte";

export const turnColumns: readonly OfferedColumn[] = [
  { id: "number", title: "Turn", width: "6.4rem", orders: true, from: 0 },
  { id: "who", title: "Who", width: "11rem", from: 620 },
  { id: "said", title: "Question", width: "minmax(14rem, 1.2fr)", from: 0 },
  { id: "answer", title: "Answer", width: "minmax(8rem, 1.4fr)", from: 0 },
  { id: "lanes", title: "Lanes", width: "14rem", from: 960 },
  { id: "hold", title: "Longest hold", width: "8.4rem", end: true, from: 1140 },
  { id: "latency", title: "Latency", width: "6.4rem", end: true, from: 760 },
  { id: "time", title: "Time", width: "6.4rem", from: 1060 },
  { id: "end", title: "Outcome", width: "11.6rem", end: true, from: 0 },
  { id: "took", title: "Took", width: "6.4rem", end: true, from: 1220 },
];
