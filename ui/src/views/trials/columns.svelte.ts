/** The dialect bench: which settings are compared, and what the backend says of each. */
import type { BenchColumn, BenchResult, Benched, Specimen } from "../../generated/wire";
import { HostFailure, type Host } from "../../host/host";
import { Latest } from "../../store/latest";

interface Wish {
  readonly specimen: Specimen;
  /** `null`: those that the backend finds worth a look. */
  readonly columns: readonly BenchColumn[] | null;
}

/** `output.bare=strip output.placement=start` as single settings: a value may hold spaces, a key cannot. */
export function pairsOf(text: string): string[] {
  return text.trim().split(/\s+(?=[\w.]+=)/).filter((pair) => pair !== "");
}

export class Columns {
  readonly #latest: Latest<Wish, Benched>;
  benched = $state.raw<Benched | null>(null);
  failure = $state.raw<HostFailure | null>(null);
  #specimen: Specimen | null = null;
  /** Kept here, so that two changes before an answer both count. */
  #chosen: readonly BenchColumn[] | null = null;

  constructor(host: Host) {
    this.#latest = new Latest(
      ({ specimen, columns }) => host.call("dialect_bench", { specimen, columns: columns === null ? null : [...columns] }),
      (benched) => {
        [this.benched, this.failure] = [benched, null];
        this.#chosen ??= benched.results.map((r) => r.column);
      },
      (reason) => (this.failure = HostFailure.from(reason)),
    );
  }

  get first(): BenchResult | null {
    return this.benched?.results[0] ?? null;
  }

  /** Those that differ, or are no settings. */
  get different(): readonly BenchResult[] {
    return (this.benched?.results.slice(1) ?? []).filter((r) => r.differs.length > 0 || r.error !== null);
  }

  get same(): readonly BenchResult[] {
    return (this.benched?.results.slice(1) ?? []).filter((r) => r.differs.length === 0 && r.error === null);
  }

  /** Looks at an output, with the columns chosen so far. */
  open(specimen: Specimen): void {
    this.#specimen = specimen;
    this.#ask(this.#chosen);
  }

  /** Adds a column with these settings on top of those in force. */
  add(text: string): void {
    const set = pairsOf(text);
    if (set.length === 0 || this.#chosen === null) return;
    const name = set.map((pair) => pair.replace(/^output\./, "").replace("=", " ")).join(", ");
    this.#ask([...this.#chosen, { name, base: { from: "configured" }, set }]);
  }

  remove(column: BenchColumn): void {
    this.#ask((this.#chosen ?? []).filter((c) => !same(c, column)));
  }

  /** Compares everything with another column. */
  compareWith(column: BenchColumn): void {
    this.#ask([column, ...(this.#chosen ?? []).filter((c) => !same(c, column))]);
  }

  /** Back to the columns that are worth a look. */
  reset(): void {
    this.#ask(null);
  }

  close(): void {
    this.#latest.close();
  }

  #ask(columns: readonly BenchColumn[] | null): void {
    this.#chosen = columns;
    if (this.#specimen !== null) this.#latest.want({ specimen: this.#specimen, columns });
  }
}

/** The backend tells columns back; they are the same when they say the same. */
const same = (a: BenchColumn, b: BenchColumn): boolean => JSON.stringify(a) === JSON.stringify(b);
