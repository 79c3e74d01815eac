import { type ArmMetric, type EventWeights, type MetricDefinition, POOLED_CAP } from "@assay/domain";

/** Where weights differ, the largest share of an arm's events that one may stand for. */
const MAX_SHARE_OF_ONE = 0.05;

/** Returns the extremes of the weights of a metric's events over all arms. */
export function extremeWeights(sums: readonly ArmMetric[]): Pick<EventWeights, "smallest" | "largest"> {
  const weights = sums.filter(({ events }) => events > 0).map(weightsOf);
  return {
    smallest: Math.min(...weights.map(({ smallest }) => smallest)),
    largest: Math.max(...weights.map(({ largest }) => largest)),
  };
}

/** Each event counts for one unless it says otherwise. */
function weightsOf({ weights, events }: ArmMetric): EventWeights {
  return weights ?? { smallest: 1, largest: 1, total: events };
}

/**
 * Returns whether a metric can be computed from events that a sampler kept. A sum and a mean of calls can, by weights. Whether a user has an
 * event at all cannot be told from a part of the events, and the mean of a user exists for those only of whom something was kept. A sum that is
 * an estimate is cut too often by an amount; a quantile of all users' sums cuts every arm alike only while all events have one weight. So does
 * a quantile over calls, which counts each once.
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

/** An event that stands for so many that its arm is mostly that event. */
export interface RulingEvent {
  readonly arm: string;
  readonly weight: number;
  readonly share: number;
}

/**
 * Finds an arm of which one event stands for more than a twentieth; null if there is none. A wrong probability in a single event could
 * otherwise make the arm's value, and hide every effect behind its spread. Where all weights are equal, no event can be of another kind.
 */
export function rulingEvent(sums: readonly ArmMetric[]): RulingEvent | null {
  const arms = [...Map.groupBy(sums, ({ arm }) => arm)].map(([arm, rows]) => {
    const { smallest, largest } = extremeWeights(rows);
    const total = rows.reduce((sum, row) => sum + weightsOf(row).total, 0);
    return { arm, weight: largest, share: smallest < largest ? largest / total : 0 };
  });
  return arms.find(({ share }) => share > MAX_SHARE_OF_ONE) ?? null;
}
