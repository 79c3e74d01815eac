import { srmTest } from "@assay/stats";
import { type HeadlineTest, loadHeadlineTests } from "./load-tests.ts";

/** The gate's threshold (spec §8). */
const GATE = 0.001;

/**
 * The weeks in which a cache broke the randomization, according to the archive's authors: 25 June 2013 to 10 January
 * 2014.
 */
export const BROKEN_WEEKS = { from: "201325", to: "201402" } as const;

export interface JudgedTest extends HeadlineTest {
  readonly isInBrokenWeeks: boolean;
  readonly pValue: number;
  /** Whether the gate withholds the test's results. */
  readonly isHalted: boolean;
}

/** Applies the gate to every headline test; each arm should get the same share. */
export function judgeHeadlineTests(): readonly JudgedTest[] {
  return loadHeadlineTests().map((test) => {
    const { pValue } = srmTest({ periods: [equalPeriod(test)], observed: test.impressions, seed: 1 });
    return { ...test, isInBrokenWeeks: isBroken(test.week), pValue, isHalted: pValue < GATE };
  });
}

/** The single allocation period of a test: equal shares. */
export function equalPeriod({ impressions }: HeadlineTest) {
  const users = impressions.reduce((sum, count) => sum + count, 0);
  return { shares: impressions.map(() => 1 / impressions.length), users };
}

function isBroken(week: string): boolean {
  return BROKEN_WEEKS.from <= week && week <= BROKEN_WEEKS.to;
}
