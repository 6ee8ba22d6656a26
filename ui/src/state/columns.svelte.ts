/** Which columns of a list a person wants, how wide they are, and which end is on top. Kept with the other choices. */
import type { Column } from "../parts/column";
import type { Prefs } from "./prefs.svelte";

/** A column that a list can show. */
export interface OfferedColumn extends Column {
  /** Room, in px at 100 % zoom, from which on it is shown where nobody chose. */
  readonly from: number;
}

/** What a person chose for one list; what is absent is as the list offers it. */
export interface ColumnChoice {
  readonly shown?: Readonly<Record<string, boolean>>;
  /** In px at 100 % zoom. */
  readonly widths?: Readonly<Record<string, number>>;
  readonly newestFirst?: boolean;
}

const NARROWEST = 40;
const WIDEST = 800;
/** Px of one rem at 100 % zoom. */
const REM = 10;

/** Width of a column that is not flexible, in px at 100 % zoom; null of one that takes what is left. */
function widthOf(column: Column): number | null {
  const rem = /^([\d.]+)rem$/.exec(column.width)?.[1];
  return rem === undefined ? null : Number(rem) * REM;
}

export class ColumnLayout {
  readonly #prefs: Prefs;
  readonly #list: string;
  readonly #offered: readonly OfferedColumn[];
  readonly #newestFirst: boolean;

  constructor(prefs: Prefs, list: string, offered: readonly OfferedColumn[], newestFirst: boolean) {
    this.#prefs = prefs;
    this.#list = list;
    this.#offered = offered;
    this.#newestFirst = newestFirst;
  }

  get #choice(): ColumnChoice {
    return this.#prefs.get("columns")[this.#list] ?? {};
  }

  #choose(choice: ColumnChoice): void {
    this.#prefs.set("columns", { ...this.#prefs.get("columns"), [this.#list]: choice });
  }

  get newestFirst(): boolean {
    return this.#choice.newestFirst ?? this.#newestFirst;
  }

  get offered(): readonly OfferedColumn[] {
    return this.#offered;
  }

  /** Whether a person changed anything. */
  get changed(): boolean {
    return Object.keys(this.#choice).length > 0;
  }

  /** The columns to draw where there is so much room, in px at 100 % zoom. */
  columns(room: number): readonly Column[] {
    const { widths = {} } = this.#choice;
    return this.#offered.filter((column) => this.shows(column, room)).map((column) => {
      const own = widthOf(column);
      if (own === null) return column;
      const size = widths[column.id] ?? own;
      return { ...column, size, width: `${size / REM}rem` };
    });
  }

  shows({ id, from }: OfferedColumn, room: number): boolean {
    return this.#choice.shown?.[id] ?? room >= from;
  }

  /** Shows or hides a column; the last one stays. */
  toggle(column: OfferedColumn, room: number): void {
    const on = !this.shows(column, room);
    if (!on && this.columns(room).length === 1) return;
    this.#choose({ ...this.#choice, shown: { ...this.#choice.shown, [column.id]: on } });
  }

  resize(id: string, width: number): void {
    const size = Math.round(Math.min(WIDEST, Math.max(NARROWEST, width)));
    this.#choose({ ...this.#choice, widths: { ...this.#choice.widths, [id]: size } });
  }

  /** Gives one column the width it had at first. */
  restore(id: string): void {
    const { [id]: _, ...widths } = this.#choice.widths ?? {};
    this.#choose({ ...this.#choice, widths });
  }

  turnOver(): void {
    this.#choose({ ...this.#choice, newestFirst: !this.newestFirst });
  }

  reset(): void {
    const { [this.#list]: _, ...others } = this.#prefs.get("columns");
    this.#prefs.set("columns", others);
  }
}
