import type { RoleName } from "../theme/roles";

/** The role of colour in which a word about a state is set. */
export type Tone = RoleName | "neutral";
