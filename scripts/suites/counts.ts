/** How many tests of a suite ended how. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** A line for each failed test whose name is known: they are said again at the end of a long output. */
  readonly failures?: readonly string[];
  /** The same for tests that failed and passed when they ran again. */
  readonly retried?: readonly string[];
}

/** Says why a whole suite is not run here, and counts it as one skipped test. */
export function notRun(suite: string, reason: string): Counts {
  console.error(`NOT RUN: ${suite}. ${reason}`);
  return { passed: 0, failed: 0, skipped: 1 };
}

/** Says why a suite could not be started although it should, and counts it as one failed test. */
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
