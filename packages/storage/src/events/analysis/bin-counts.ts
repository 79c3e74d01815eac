/** Above the magnitude of every fine bin (`fineBin`: −115,842 to 35,842). */
const OFFSET = 2 ** 17;
const PAGE = 256;

/** Counts fine bins. Values lie close together, so a page of counters is faster than a map, and few pages are ever made. */
export class BinCounts {
  readonly #pages: Float64Array[] = [];

  /** Adds 1 to the count of a bin. */
  add(bin: number): void {
    const at = bin + OFFSET;
    const index = Math.floor(at / PAGE);
    this.#pages[index] ??= new Float64Array(PAGE);
    this.#pages[index][at % PAGE]! += 1;
  }

  /** Returns the counts by bin, ascending. */
  toMap(): Map<number, number> {
    const counts = new Map<number, number>();
    // `forEach` skips pages that were never created.
    this.#pages.forEach((page, index) => {
      for (const [i, count] of page.entries()) if (count > 0) counts.set(index * PAGE + i - OFFSET, count);
    });
    return counts;
  }
}
