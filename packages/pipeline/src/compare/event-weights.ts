import { type ArmMetric, type EventWeights, type MetricDefinition, POOLED_CAP } from "@assay/domain";

/** If weights differ, one event may stand for at most this share of an arm's events. */
const MAX_SHARE_OF_ONE = 0.05;

/** Returns the extremes of the weights of a metric's events over all arms. */
export function extremeWeights(sums: readonly ArmMetric[]): Pick<EventWeights, "smallest" | "largest"> {
  const weights = sums.filter(({ events }) => events > 0).map(weightsOf);
  return {
    smallest: Math.min(...weights.map(({ smallest }) => smallest)),
    largest: Math.max(...weights.map(({ largest }) => largest)),
  };
}

/** Without weights, each event counts for one. */
function weightsOf({ weights, events }: ArmMetric): EventWeights {
  return weights ?? { smallest: 1, largest: 1, total: events };
}

/**
 * Returns whether a metric can be computed from events that a sampler kept. Ratios and uncapped means can, by weights. Binary and ordinal
 * metrics cannot: a user whose events were dropped seems to have none, and has no mean. A capped mean cannot, because a fixed cap cuts
 * estimated sums too often; a cap at a quantile cuts all arms alike if all events have the same weight. For the same reason, a quantile
 * over calls, which counts each call once, needs equal weights.
 */
export function takesWeights(
  { kind, cap }: Pick<MetricDefinition, "kind" | "cap">,
  sums: readonly ArmMetric[],
): boolean {
  const { smallest, largest } = extremeWeights(sums);
  if (largest <= 1 || kind === "ratio") return true;
  const isAlike = smallest === largest;
  return kind === "mean" ? cap === null || (cap === POOLED_CAP && isAlike) : kind === "quantile" && isAlike;
}

/** An event that stands for too large a part of its arm's events. */
export interface RulingEvent {
  readonly arm: string;
  readonly weight: number;
  readonly share: number;
}

/**
 * Finds an arm in which one event stands for more than a twentieth; null if there is none. A wrong probability in a single event could
 * determine the arm's value, and its spread would hide every effect. Arms whose weights are all equal are not checked.
 */
export function rulingEvent(sums: readonly ArmMetric[]): RulingEvent | null {
  const arms = [...Map.groupBy(sums, ({ arm }) => arm)].map(([arm, rows]) => {
    const { smallest, largest } = extremeWeights(rows);
    const total = rows.reduce((sum, row) => sum + weightsOf(row).total, 0);
    return { arm, weight: largest, share: smallest < largest ? largest / total : 0 };
  });
  return arms.find(({ share }) => share > MAX_SHARE_OF_ONE) ?? null;
}
