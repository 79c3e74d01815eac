import { delta, welch } from "../assay/tests.ts";
import * as forbidden from "../forbidden/methods.ts";
import { type Cell, shownShare } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import { callingUsers, latencySums } from "../populations/calls.ts";
import { balanced, ramp, unbalanced } from "../populations/design.ts";
import { driftingConversions, normalUsers, revenueUsers } from "../populations/per-user.ts";
import {
  COMPARISON_HEADS,
  type Comparison,
  compare,
  comparisonId,
  comparisonLabels,
  rejects,
} from "./comparison.ts";

/** Defines the cell of a method that is shown as a warning. */
function warning<U>(comparison: Comparison<U, { readonly pValue: number } | null>): Cell {
  return {
    id: `forbidden/${comparisonId(comparison)}`,
    labels: comparisonLabels(comparison),
    repetitions: { long: 2_000, short: 0 },
    measures: [shownShare("p ≤ .05")],
    observe: (draw) => [rejects(compare(comparison, draw))],
  };
}

const calling = callingUsers();
const small = unbalanced(1_800, 200);

export const forbiddenMethods: Section = {
  id: "forbidden",
  title: "What Assay does not do",
  text: `This table shows how often methods that other tools use, and sound tests used in the wrong place, mistake noise for an effect.
One time in twenty is allowed. Assay does not contain the first five (\`simulation/forbidden/\`). The last two are Assay's closed
forms on a small arm of very skewed users, where \`welch_t\` is far off and \`ratio_delta\` hardly. On such data \`auto\` runs
the permutation test (above). It uses the closed form only when an arm is too large to permute. If you choose the closed form by
name, you get these rates.`,
  tables: [
    {
      caption: "Rejections without an effect, as a warning",
      heads: COMPARISON_HEADS,
      cells: [
        warning({ test: forbidden.callLevelWelch, population: calling, design: balanced(400) }),
        warning({ test: forbidden.callLevelQuantile(0.5), population: calling, design: balanced(400) }),
        warning({ test: forbidden.callLevelQuantile(0.95), population: calling, design: balanced(400) }),
        warning({ test: forbidden.rawPermutation, population: normalUsers(0, [1, 2]), design: small }),
        warning({ test: forbidden.pooledZ, population: driftingConversions(), design: ramp(4_000) }),
        warning({ test: welch, population: revenueUsers(), design: small }),
        warning({ test: delta, population: latencySums(calling), design: small }),
      ],
    },
  ],
  figures: () => [],
};
