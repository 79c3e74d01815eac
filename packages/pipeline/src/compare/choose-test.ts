import type { MetricDefinition, TestMethod } from "@assay/domain";

/** Expected cells below this make the normal approximation of proportions too coarse (statistics §1). */
const MIN_EXPECTED_CELL = 10;

/**
 * The effect that a rank test aims at: P(T > C) + P(T = C) / 2 − ½. An effect relative to control has no meaning there; with normal
 * values this is a difference of .18 standard deviations.
 */
export const RANK_TARGET = 0.05;

/** What the choice may depend on: counts and the table's margins, never which arm did better. */
export interface TestSituation {
  /** Whether the values of all users are available, not only those of a sample. */
  readonly hasAllValues: boolean;
  readonly smallestExpectedCell: number;
  readonly strata: number;
  /** Whether users have several units, which a table of counts cannot describe. */
  readonly isClustered?: boolean;
}

/** The tests that a run can carry out; `ppi_z` needs a judge's labels. */
export type RunnableTest = Exclude<TestMethod, "auto" | "ppi_z">;

/** Returns the requested test, or the one that `auto` chooses (statistics §1). */
export function chooseTest(
  { kind, method, methodDefault }: Pick<MetricDefinition, "kind" | "method" | "methodDefault">,
  situation: TestSituation,
): RunnableTest {
  const asked = method ?? methodDefault;
  // Fisher's test takes one table of users. Otherwise the exact equivalent is a permutation, within each period.
  const isOneTable = situation.strata === 1 && situation.isClustered !== true;
  if (asked === "fisher_exact" && !isOneTable) return "permutation";
  if (asked !== "auto" && asked !== "ppi_z") return asked;
  switch (kind) {
    case "binary":
      if (situation.smallestExpectedCell >= MIN_EXPECTED_CELL) return "two_proportion_z";
      return isOneTable ? "fisher_exact" : "permutation";
    case "mean":
      return situation.hasAllValues ? "permutation" : "welch_t";
    case "ratio":
      return situation.hasAllValues ? "permutation" : "ratio_delta";
    case "quantile":
      return "cluster_quantile";
    case "ordinal":
      return "mann_whitney_u";
  }
}
