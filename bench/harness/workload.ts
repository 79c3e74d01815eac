/** A short operation that is called very often. */
export interface Workload {
  readonly name: string;
  /** Calls of one round. */
  readonly calls: number;
  /** Calls that are timed together: a single call is shorter than the clock's resolution. */
  readonly batch: number;
  /** Makes the calls `from` to `until` of a round and returns how many had the expected result. */
  run(from: number, until: number): number | Promise<number>;
  /** Runs before each round, untimed. */
  prepare?(): void;
  /** Runs after each round, untimed. */
  settle?(): Promise<void>;
  /** Runs after the last round. */
  stop?(): Promise<void>;
}

/**
 * Makes the calls of one round; throws when one had an unexpected result. `onBatch` gets each batch's time
 * per call in ns.
 */
export async function runRound(
  workload: Workload,
  onBatch: (nsPerCall: number) => void = () => {},
): Promise<void> {
  const { name, calls, batch } = workload;
  for (let from = 0; from < calls; from += batch) {
    const until = Math.min(from + batch, calls);
    const before = performance.now();
    const running = workload.run(from, until);
    // Awaiting costs a synchronous call a few hundred nanoseconds.
    const answered = typeof running === "number" ? running : await running;
    onBatch(((performance.now() - before) * 1e6) / (until - from));
    if (answered !== until - from)
      throw new Error(`${name}: ${answered} of ${until - from} calls had the expected result.`);
  }
}
