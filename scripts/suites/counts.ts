/** The number of a suite's tests by outcome. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** One line per failed test whose name is known. They are repeated at the end of a long output. */
  readonly failures?: readonly string[];
  /** The same for tests that failed first and passed when they ran again. */
  readonly retried?: readonly string[];
}

/** Prints why this machine does not run a suite, and counts the suite as one skipped test. */
export function notRun(suite: string, reason: string): Counts {
  console.error(`NOT RUN: ${suite}. ${reason}`);
  return { passed: 0, failed: 0, skipped: 1 };
}

/** Prints why a suite could not start although it should, and counts the suite as one failed test. */
export function broken(suite: string, reason: string): Counts {
  console.error(`FAILED: ${suite}. ${reason}`);
  return { passed: 0, failed: 1, skipped: 0, failures: [`${suite}: ${reason}`] };
}

export function addCounts(counts: readonly Counts[]): Counts {
  const total = {
    passed: 0,
    failed: 0,
    skipped: 0,
    failures: counts.flatMap(({ failures }) => failures ?? []),
    retried: counts.flatMap(({ retried }) => retried ?? []),
  };
  for (const { passed, failed, skipped } of counts) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  return total;
}

export function formatCounts({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
