/** Something short that is called very often. */
export interface Workload {
  readonly name: string;
  /** Calls of one round. */
  readonly calls: number;
  /** Calls that are timed together: one alone is shorter than reading the clock is exact. */
  readonly batch: number;
  /** Makes the calls `from` to `until` of a round, and returns how many answered as they should. */
  run(from: number, until: number): number | Promise<number>;
  /** Before each round, untimed. */
  prepare?(): void;
  /** After each round, untimed. */
  settle?(): Promise<void>;
  /** After the last round. */
  stop?(): Promise<void>;
}

/** Makes the calls of one round; throws when one did not answer as it should. `onBatch` hears each batch's time per call in ns. */
export async function runRound(
  workload: Workload,
  onBatch: (nsPerCall: number) => void = () => {},
): Promise<void> {
  const { name, calls, batch } = workload;
  for (let from = 0; from < calls; from += batch) {
    const until = Math.min(from + batch, calls);
    const before = performance.now();
    const running = workload.run(from, until);
    // Waiting costs a call that does not wait some hundred nanoseconds.
    const answered = typeof running === "number" ? running : await running;
    onBatch(((performance.now() - before) * 1e6) / (until - from));
    if (answered !== until - from) throw new Error(`${name}: ${answered} of ${until - from} calls answered.`);
  }
}
