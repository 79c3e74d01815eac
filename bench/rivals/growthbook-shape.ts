/**
 * A metric in the shape of GrowthBook's queries: the value of a row, and how a user's values are combined.
 */
interface ShapedMetric {
  readonly where: string;
  readonly value: string;
  /** Aggregate of a user's values `value`; NULL when there are none. */
  readonly combine: string;
}

const PURCHASE = "type = 'business_event' AND business_metric = 'purchase'";

/** The four metrics of a bench experiment that need no quantile; a ratio comes with its denominator. */
const METRICS: readonly ShapedMetric[] = [
  { where: "type = 'model_call'", value: "latency_ms", combine: "sum(coalesce(value, 0)), count(value)" },
  { where: "type = 'model_call'", value: "cost_usd", combine: "sum(coalesce(value, 0)), 1" },
  { where: PURCHASE, value: "value", combine: "toFloat64(max(coalesce(value, 0) != 0)), 1" },
  { where: PURCHASE, value: "value", combine: "sum(coalesce(value, 0)), 1" },
];

/** Position of the cost in the results of `growthbookShape`. */
export const COST = 1;

/**
 * Writes an experiment's queries in the shape of GrowthBook's: one per metric. Each has the exposures, the users by
 * variation, the metric's rows, their join, a sum per user, and sums and sums of squares per variation.
 */
export function growthbookShape(orgId: string, experimentId: string): readonly string[] {
  const of = `org_id = '${orgId}' AND experiment_id = '${experimentId}'`;
  return METRICS.map(
    ({ where, value, combine }) => `
      WITH exposures AS (
        SELECT user_id, toString(variant) AS variation, occurred_at AS timestamp FROM analysis WHERE ${of} AND type = 'exposure'
      ), units AS (
        SELECT user_id, if(uniqExact(variation) > 1, 'multiple', max(variation)) AS variation, min(timestamp) AS exposed_at
        FROM exposures GROUP BY user_id
      ), metric AS (
        SELECT user_id, ${value} AS value, occurred_at AS timestamp FROM analysis WHERE ${of} AND ${where}
      ), joined AS (
        SELECT units.variation AS variation, units.user_id AS user_id,
          if(metric.timestamp >= units.exposed_at, metric.value, NULL) AS value
        FROM units LEFT JOIN metric ON metric.user_id = units.user_id
      ), users AS (
        SELECT variation, user_id, (${combine}) AS own FROM joined GROUP BY variation, user_id
      )
      SELECT variation, count(), sum(own.1), sum(own.1 * own.1), sum(own.2), sum(own.2 * own.2), sum(own.1 * own.2)
      FROM users GROUP BY variation ORDER BY variation SETTINGS max_threads = 1`,
  );
}
