/** The rows of events as they are drawn: each is made once, and again only where what it shows is another. */
import type { EventRow } from "../../generated/wire";
import type { Column } from "../../parts/column";
import type { DrawnRow } from "../../parts/rowLayer";
import { rowOf } from "./cells";

/** What a row was made of, besides its event. */
interface Made {
  readonly columns: readonly Column[];
  readonly since: string | null;
  readonly platform: string | null;
  readonly isMarked: boolean;
  readonly drawn: DrawnRow;
}

/** Goes by objects: an event that shows the same in the next frame is the same object there (store/same.ts). */
export class DrawnRows {
  readonly #made = new WeakMap<EventRow, Made>();

  /** The same row as before, or another that `rowOf` makes. */
  draw(row: EventRow, columns: readonly Column[], since: string | null, platform: string | null, isMarked: boolean): DrawnRow {
    const made = this.#made.get(row);
    if (made !== undefined && made.columns === columns && made.since === since && made.platform === platform && made.isMarked === isMarked) return made.drawn;
    const drawn = rowOf(row, columns, since, platform, isMarked);
    this.#made.set(row, { columns, since, platform, isMarked, drawn });
    return drawn;
  }
}
