import type { DecisionPlan, MetricResult, RowKey } from "@assay/domain";
import { isGain } from "./claims.ts";

/** A row with the log of its e-value at this look: the evidence that there is an effect, valid at any number of looks. */
export interface EvidentRow {
  readonly row: MetricResult;
  /** Null: the row has no such evidence. */
  readonly logEvidence: number | null;
}

/**
 * Lists the rows of `watched` that are worse by evidence that holds at any look, at alpha divided by their number: a guardrail that
 * fails, a primary metric that loses. A loss that is certainly within the margin is no alarm.
 */
export function alarmsOf(
  watched: readonly EvidentRow[],
  { alpha }: Pick<DecisionPlan, "alpha">,
): readonly RowKey[] {
  const needed = Math.log(watched.length / alpha);
  return watched
    .filter(({ row, logEvidence }) => logEvidence !== null && logEvidence >= needed && !isGain(row))
    .filter(({ row }) => row.nonInferiority?.isNotWorse !== true)
    .map(({ row: { metric, treatment } }) => ({ metric, treatment }));
}
