import { normalCdf, normalQuantile, powerOf, type TestOutcome } from "@assay/stats";
import * as tests from "../assay/tests.ts";
import { type Cell, power } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import { callingUsers, latencySums, latencyVariance, meanLatency } from "../populations/calls.ts";
import { balanced, type Design, ramp, unbalanced } from "../populations/design.ts";
import * as users from "../populations/per-user.ts";
import {
  COMPARISON_HEADS,
  type Comparison,
  compare,
  comparisonId,
  comparisonLabels,
  rejects,
} from "./comparison.ts";

const Z = normalQuantile(0.975);
const SD = 3;

/** Defines the cell of a comparison whose effect the test should find with the given probability. */
function powerCell<U>(comparison: Comparison<U, TestOutcome | null>, theory: number): Cell {
  return {
    id: `power/${comparisonId(comparison)}/${Math.round(100 * theory)}`,
    labels: [...comparisonLabels(comparison), `${(100 * theory).toFixed(1)} %`],
    repetitions: comparison.test.repetitions,
    measures: [power("found at .05", theory)],
    observe: (draw) => [rejects(compare(comparison, draw))],
  };
}

/** The standard error of a difference of stratified means of users with standard deviation `SD`. */
function standardErrorOf({ periods }: Design): number {
  const all = periods.reduce((sum, { control, treatment }) => sum + control + treatment, 0);
  const variances = periods.map(
    ({ control, treatment }) => ((control + treatment) / all) ** 2 * SD ** 2 * (1 / control + 1 / treatment),
  );
  return Math.sqrt(variances.reduce((sum, variance) => sum + variance, 0));
}

/** Normal users with the effect that is found with probability `target` by theory. */
function meanCell(test: tests.UserTest<number>, design: Design, target: 0.5 | 0.8): Cell {
  const standardError = standardErrorOf(design);
  const effect = (Z + normalQuantile(target)) * standardError;
  const population = design.periods.length > 1 ? users.driftingUsers(effect) : users.normalUsers(effect);
  return powerCell({ test, population, design }, powerOf({ effect, standardError }));
}

/** The pooled z test uses the standard error without an effect, while the true one includes it. */
function proportionCell(effect: number): Cell {
  const [rate, n] = [0.3, 400];
  const mean = rate + effect / 2;
  const assumed = Math.sqrt((2 * mean * (1 - mean)) / n);
  const actual = Math.sqrt((rate * (1 - rate) + (rate + effect) * (1 - rate - effect)) / n);
  const theory = normalCdf((effect - Z * assumed) / actual) + normalCdf((-effect - Z * assumed) / actual);
  const population = users.convertingUsers(rate, effect);
  return powerCell({ test: tests.proportionZ, population, design: balanced(n) }, theory);
}

function ratioCell(test: typeof tests.delta, lift: number): Cell {
  const n = 1_000;
  const standardError = Math.sqrt((latencyVariance() * (1 + (1 + lift) ** 2)) / n);
  const theory = powerOf({ effect: lift * meanLatency(), standardError });
  return powerCell({ test, population: latencySums(callingUsers(lift)), design: balanced(n) }, theory);
}

export const powerSection: Section = {
  id: "power",
  title: "Power: how often a true effect is found",
  text: `These effects are ones that theory finds in about 50 % and 80 % of the experiments. The theory is the normal power at the true
standard error (\`powerOf\`). For proportions, this is the pooled standard error under the null; for ratios, it comes from the
delta method's variance in the population. The limits are three standard errors around the theory.`,
  tables: [
    {
      caption: "Rejections with an effect",
      heads: [...COMPARISON_HEADS, "theory"],
      cells: [
        meanCell(tests.welch, balanced(400), 0.5),
        meanCell(tests.welch, balanced(400), 0.8),
        meanCell(tests.welch, unbalanced(900, 100), 0.8),
        meanCell(tests.welch, ramp(1_000), 0.8),
        meanCell(tests.permutedMeans, balanced(400), 0.5),
        meanCell(tests.permutedMeans, balanced(400), 0.8),
        meanCell(tests.permutedMeans, ramp(1_000), 0.8),
        proportionCell(0.065),
        proportionCell(0.093),
        ratioCell(tests.delta, 0.06),
        ratioCell(tests.delta, 0.085),
        ratioCell(tests.permutedRatios, 0.06),
        ratioCell(tests.permutedRatios, 0.085),
      ],
    },
  ],
  figures: () => [],
};
