import { normalCdf, type TestOutcome } from "@assay/stats";
import * as tests from "../assay/tests.ts";
import { type Cell, type Side, share } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import { callingUsers, latencyQuantile, latencySums, meanLatency } from "../populations/calls.ts";
import { balanced, ramp, unbalanced } from "../populations/design.ts";
import * as users from "../populations/per-user.ts";
import { dotPlot } from "../report/dot-plot.ts";
import {
  COMPARISON_HEADS,
  type Comparison,
  compare,
  comparisonId,
  comparisonLabels,
  holds,
} from "./comparison.ts";

const SECTION = "coverage";
const LIFT_NAME = "lift (Fieller)";

/** The true difference, and the lift if its interval is checked as well. */
interface Truth {
  readonly effect: number;
  readonly lift?: number;
  /** `low` for an interval known to be wider than necessary. */
  readonly side?: Side;
}

/** Defines the cell of a comparison with a true effect. */
function coverageCell<U>(comparison: Comparison<U, TestOutcome | null>, truth: Truth): Cell {
  const { effect, lift, side = "both" } = truth;
  const ofLift = share(LIFT_NAME, 0.95, side);
  return {
    id: `${SECTION}/${comparisonId(comparison)}`,
    labels: comparisonLabels(comparison),
    repetitions: comparison.test.repetitions,
    measures: [share("difference", 0.95, side), ...(lift === undefined ? [] : [ofLift])],
    observe: (draw) => {
      const outcome = compare(comparison, draw);
      const { ciLow = null, ciHigh = null, relative } = outcome ?? {};
      const absolute = holds(ciLow, ciHigh, effect);
      if (lift === undefined) return [absolute];
      return [absolute, holds(relative?.ciLow ?? null, relative?.ciHigh ?? null, lift)];
    },
  };
}

/** For a population of users with a known mean and effect. */
function ofUsers({ mean, effect }: users.PerUserPopulation): Required<Pick<Truth, "effect" | "lift">> {
  return { effect, lift: effect / mean };
}

const LIFT = 0.05;
const normal = users.normalUsers(1);
const skewed = users.skewedUsers(0.2);
const revenue = users.revenueUsers(0.5);
const drifting = users.driftingUsers(1);
const [converting, rarely] = [users.convertingUsers(0.3, 0.06), users.convertingUsers(0.05, 0.02)];
const calling = callingUsers(LIFT);
const latency = latencySums(calling);
const ofLatency = { effect: LIFT * meanLatency(), lift: LIFT };
const ofQuantile = (quantile: number) => ({ effect: LIFT * latencyQuantile(quantile) });

/** P(T > C) − ½ of normal users whose means are a third of a standard deviation apart. */
const PLACEMENT = normalCdf(1 / (3 * Math.SQRT2)) - 0.5;

const differenceOnly: readonly Cell[] = [
  coverageCell({ test: tests.welch, population: drifting, design: ramp(1_000) }, { effect: 1 }),
  coverageCell({ test: tests.permutedMeans, population: drifting, design: ramp(1_000) }, { effect: 1 }),
  coverageCell({ test: tests.bootstrappedMeans, population: normal, design: balanced(200) }, { effect: 1 }),
  coverageCell({ test: tests.rankSum, population: normal, design: balanced(200) }, { effect: PLACEMENT }),
  coverageCell(
    { test: tests.rankSum, population: normal, design: unbalanced(900, 100) },
    { effect: PLACEMENT },
  ),
  coverageCell(
    { test: tests.quantileTest(0.5), population: calling, design: balanced(400) },
    ofQuantile(0.5),
  ),
  coverageCell(
    { test: tests.quantileTest(0.95), population: calling, design: balanced(400) },
    { ...ofQuantile(0.95), side: "low" },
  ),
];

const withLift: readonly Cell[] = [
  coverageCell({ test: tests.welch, population: normal, design: balanced(10) }, ofUsers(normal)),
  coverageCell({ test: tests.welch, population: normal, design: balanced(200) }, ofUsers(normal)),
  coverageCell({ test: tests.welch, population: normal, design: unbalanced(900, 100) }, ofUsers(normal)),
  coverageCell({ test: tests.welch, population: skewed, design: balanced(2_000) }, ofUsers(skewed)),
  coverageCell({ test: tests.permutedMeans, population: normal, design: balanced(200) }, ofUsers(normal)),
  coverageCell({ test: tests.permutedMeans, population: revenue, design: balanced(2_000) }, ofUsers(revenue)),
  coverageCell({ test: tests.delta, population: latency, design: balanced(500) }, ofLatency),
  coverageCell({ test: tests.permutedRatios, population: latency, design: balanced(500) }, ofLatency),
  coverageCell(
    { test: tests.proportionZ, population: converting, design: balanced(400) },
    ofUsers(converting),
  ),
  coverageCell(
    { test: tests.proportionZ, population: rarely, design: unbalanced(900, 100) },
    { ...ofUsers(rarely), side: "low" },
  ),
  coverageCell(
    { test: tests.fisher, population: rarely, design: balanced(200) },
    { ...ofUsers(rarely), side: "low" },
  ),
  coverageCell(
    { test: tests.permutedProportions, population: converting, design: balanced(400) },
    ofUsers(converting),
  ),
];

export const coverage: Section = {
  id: SECTION,
  title: "Coverage: how often the 95 % interval contains the true effect",
  text: `Here the treatment has a known effect. Fieller's interval for the lift is missing when control is not clearly above
0; such a repetition does not count. \`two_proportion_z\` and \`fisher_exact\` have Newcombe's interval. \`mann_whitney_u\` has the
interval of the placements, around P(T > C) + P(T = C) / 2 − ½.

The lift of shares has Fieller's interval from Wilson's limits, which Newcombe's difference also uses (Donner & Zou 2012). With
normal standard errors, the interval would contain a true lift of 40 % on 5 % in only 93.4 % of 20,000 draws of 900 and 100 users,
and a lift of 0 on 5 % in 91.8 % of the draws of 1,000 and 100 users.`,
  tables: [
    { caption: "Difference and lift", heads: COMPARISON_HEADS, cells: withLift },
    { caption: "Difference only", heads: COMPARISON_HEADS, cells: differenceOnly },
  ],
  figures: (rows) => [
    {
      file: "coverage.svg",
      alt: "Coverage of the 95 % interval of the difference, test by test, with its band",
      svg: dotPlot("Coverage of the 95 % interval of the difference", rows.filter(isOwn)),
    },
  ],
};

function isOwn({ cell }: { readonly cell: Cell }): boolean {
  return cell.id.startsWith(`${SECTION}/`);
}
