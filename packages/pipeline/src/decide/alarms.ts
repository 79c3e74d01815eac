import type { DecisionPlan, MetricResult, RowKey } from "@assay/domain";
import { isGain } from "./claims.ts";

/** A row with the log of its e-value at this look: evidence of an effect that is valid at any number of looks. */
export interface EvidentRow {
  readonly row: MetricResult;
  /** Null when the row has no such evidence. */
  readonly logEvidence: number | null;
}

/**
 * Lists the rows of `watched` that are worse by evidence that holds at any look, at alpha divided by the number of
 * rows: failing guardrails and losing primary metrics. A loss that is certainly within its margin is not an alarm.
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
