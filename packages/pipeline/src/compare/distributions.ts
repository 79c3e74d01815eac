import type { ArmMetric, Distribution } from "@assay/domain";
import { binaryHistogram, sharedHistogram } from "@assay/stats";

type ByArm = Readonly<Record<string, Distribution>>;

/** Counts one metric's values of all arms in shared bins. */
export function distributionByArm(sums: readonly ArmMetric[], kind: "binary" | "values"): ByArm {
  const arms = [...new Set(sums.map(({ arm }) => arm))];
  const counts = arms.map((arm) => mergeCounts(sums.filter((row) => row.arm === arm)));
  const { binEdges, counts: perArm } = kind === "binary" ? binaryHistogram(counts) : sharedHistogram(counts);
  return Object.fromEntries(arms.map((arm, index) => [arm, { binEdges, counts: perArm[index]! }]));
}

/** The distributions of every metric, without a minimum of data: for the live view. */
export function liveDistributions(
  sums: readonly ArmMetric[],
  binary: ReadonlySet<string>,
): Readonly<Record<string, ByArm>> {
  const byMetric = Map.groupBy(sums, ({ metric }) => metric);
  return Object.fromEntries(
    [...byMetric].map(([metric, rows]) => [
      metric,
      distributionByArm(rows, binary.has(metric) ? "binary" : "values"),
    ]),
  );
}

function mergeCounts(rows: readonly ArmMetric[]): ReadonlyMap<number, number> {
  const merged = new Map<number, number>();
  for (const { fineCounts } of rows) {
    for (const [bin, count] of fineCounts) merged.set(bin, (merged.get(bin) ?? 0) + count);
  }
  return merged;
}
