import type { Counts } from "./counts.ts";

/**
 * Reads the totals from JUnit XML reports, as written by pytest and Maven's Surefire. `isSuccess` is the runner's own verdict: a
 * crash without a failed test must not read as a success.
 */
export function countReports(reports: readonly string[], isSuccess: boolean): Counts {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const report of reports) {
    for (const [suite] of report.matchAll(/<testsuite\s[^>]*>/g)) {
      const failed = numberOf(suite, "failures") + numberOf(suite, "errors");
      const skipped = numberOf(suite, "skipped");
      total.passed += numberOf(suite, "tests") - failed - skipped;
      total.failed += failed;
      total.skipped += skipped;
    }
  }
  const isSilentFailure = !isSuccess && total.failed === 0;
  const isEmpty = total.passed + total.failed + total.skipped === 0;
  return isSilentFailure || isEmpty ? { ...total, failed: total.failed + 1 } : total;
}

function numberOf(tag: string, attribute: string): number {
  const value = new RegExp(`\\s${attribute}="(\\d+)"`).exec(tag)?.[1];
  return value === undefined ? 0 : Number(value);
}
