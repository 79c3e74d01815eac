import { BloomFilter, bytesFor, capacityIn, type IdHash } from "./bloom-filter.ts";

/** Capacity of a week's first filter when the previous week has no ids. */
const LEAST_IDS = 65_536;

/**
 * Rules out ids that were not received in the last weeks. It never rules out an id that was added for a week that it remembers. A week
 * starts with a Bloom filter for as many ids as the previous week had. When it is full, it gets filters for half of its own ids each.
 */
export class IdFilter {
  readonly #maxBytes: number;
  readonly #weeks = new Map<number, Week>();
  #firstWeek: number;
  #bytes = 0;
  #isOverfull = false;

  /** The caller numbers the weeks. Weeks before `firstWeek` are never remembered. */
  constructor(firstWeek: number, maxBytes: number) {
    this.#firstWeek = firstWeek;
    this.#maxBytes = maxBytes;
  }

  /** The first week that it remembers. */
  get firstWeek(): number {
    return this.#firstWeek;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether more ids were added than fit. It has then forgotten everything for good, and must not be used. */
  get isOverfull(): boolean {
    return this.#isOverfull;
  }

  /** Reserves room for a week's ids in one filter, which is faster to check than several. */
  reserve(week: number, ids: number): void {
    if (!this.#isOverfull) this.#extend(this.#weekOf(week), ids);
  }

  /** Adds an id that was received in a week. */
  add(id: IdHash, week: number): void {
    if (week < this.#firstWeek || this.#isOverfull) return;
    const found = this.#weekOf(week);
    if (found.filters.at(-1)?.isFull ?? true)
      this.#extend(found, this.#roomFor(found.ids === 0 ? this.#idsOf(week - 1) : found.ids / 2));
    found.filters.at(-1)?.add(id);
    found.ids += 1;
  }

  /** Returns whether an id may have been received in the weeks that it remembers. */
  mayHold(id: IdHash): boolean {
    for (const { filters } of this.#weeks.values())
      for (const filter of filters) if (filter.mayHold(id)) return true;
    return false;
  }

  /** Forgets the weeks before one. */
  forgetBefore(week: number): void {
    this.#firstWeek = Math.max(this.#firstWeek, week);
    for (const [each, { filters }] of this.#weeks) {
      if (each >= week) continue;
      this.#weeks.delete(each);
      for (const { bytes } of filters) this.#bytes -= bytes;
    }
  }

  /** Returns the expected number of ids, limited to what still fits. A minimum keeps the number of filters small. */
  #roomFor(expected: number): number {
    return Math.max(LEAST_IDS, Math.min(expected, capacityIn(this.#maxBytes - this.#bytes)));
  }

  #idsOf(week: number): number {
    return this.#weeks.get(week)?.ids ?? 0;
  }

  #weekOf(week: number): Week {
    const found = this.#weeks.get(week) ?? { ids: 0, filters: [] };
    this.#weeks.set(week, found);
    return found;
  }

  #extend({ filters }: Week, ids: number): void {
    this.#bytes += bytesFor(ids);
    if (this.#bytes <= this.#maxBytes) {
      filters.push(new BloomFilter(ids));
      return;
    }
    this.#isOverfull = true;
    this.#weeks.clear();
    this.#bytes = 0;
  }
}

interface Week {
  ids: number;
  readonly filters: BloomFilter[];
}
