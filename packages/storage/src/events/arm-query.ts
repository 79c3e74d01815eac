import { type AnalysisQuery, DAY_MS, type MetricQuery, TEST_USER_PREFIX } from "@assay/domain";
import { fineBinSql } from "./fine-bin.ts";

/** A statement and the values bound to its parameters. */
export interface BoundQuery {
  readonly sql: string;
  readonly params: Record<string, unknown>;
}

/** Elements of an outcome before the metrics' own: the instant and the variant it carries. */
const FIRST_VALUE = 3;

/**
 * Builds the one pass over an experiment's analysis log: a row per arm and period with the exposures, the
 * dropped outcomes and per metric a tuple of sums (`arm-snapshot.ts` reads them). Users without exposure make
 * the row of arm ''. Names in the SQL are made of indexes; every value is bound.
 *
 * Read and grouped in the order of the table's key on one thread (`arm-snapshot.ts`), so that floating sums
 * add up in the same order whatever parts the table has: a rerun gives the same bits.
 */
export function armQuery(query: AnalysisQuery): BoundQuery {
  const { metrics } = query;
  return {
    sql: `
      SELECT arm, period, countIf(exposed), countIf(exposed AND test), countIf(exposed AND contaminated),
        minIf(t0, exposed), sum(dropped_pre_exposure), sum(variant_conflicts)
        ${metrics.map((metric, i) => `, ${metricSums(metric, i)}`).join("")}
      FROM (
        SELECT *, exposed AND NOT test AND NOT contaminated AS sampled,
          arrayCount(s -> s <= t0, {period_starts: Array(Int64)}) AS period,
          arrayFilter(o -> o.1 >= t0 AND (o.2 = '' OR o.2 = arm), if(sampled, outcomes, [])) AS attributed,
          if(test OR contaminated, 0,
            if(exposed, arrayCount(o -> o.1 < t0, outcomes), length(outcomes))) AS dropped_pre_exposure,
          if(sampled, arrayCount(o -> o.1 >= t0 AND o.2 != '' AND o.2 != arm, outcomes), 0)
            AS variant_conflicts
          ${metrics.map((metric, i) => `, ${userColumns(metric, i)}`).join("")}
        FROM (${usersSql(metrics)})
      )
      GROUP BY arm, period
      ORDER BY arm, period`,
    params: {
      org_id: query.orgId,
      experiment_id: query.experimentId,
      until: query.until,
      period_starts: query.periodStarts,
      test_prefix: TEST_USER_PREFIX,
      ...Object.assign({}, ...metrics.map(metricParams)),
    },
  };
}

/** One row per user: the first exposure (ties go to the lesser event id) and all outcomes. */
function usersSql(metrics: readonly MetricQuery[]): string {
  const values = metrics.map((_, i) => `, v${i}`).join("");
  return `
    SELECT user_id,
      countIf(is_exposure) > 0 AS exposed,
      startsWith(user_id, {test_prefix: String}) AS test,
      minIf(variant, is_exposure) != maxIf(variant, is_exposure) AS contaminated,
      minIf(at, is_exposure) AS t0,
      argMinIf(variant, (at, event_id), is_exposure) AS arm,
      groupArrayIf((at, variant${values}), type != 'exposure') AS outcomes
    FROM (
      SELECT org_id, experiment_id, user_id, event_id, type, toString(variant) AS variant,
        type = 'exposure' AND variant != '' AS is_exposure,
        toUnixTimestamp64Milli(occurred_at) AS at
        ${metrics.map((metric, i) => `, ${valueSql(metric, i)} AS v${i}`).join("")}
      FROM analysis FINAL
      WHERE org_id = {org_id: String} AND experiment_id = {experiment_id: String}
        AND occurred_at < fromUnixTimestamp64Milli({until: Int64})
    )
    GROUP BY org_id, experiment_id, user_id`;
}

/** The value that one event gives a metric; NULL when it gives none, which is not 0. */
function valueSql({ source }: MetricQuery, i: number): string {
  return source.event === "model_call"
    ? `if(type = 'model_call', toFloat64(${source.field}), NULL)`
    : `if(type = 'business_event' AND business_metric = {business_metric_${i}: String}, value, NULL)`;
}

/** Per user: the values in the window, y, d, the fine bins, and whether the user is in the sample. */
function userColumns({ kind, windowDays, cap }: MetricQuery, i: number): string {
  const inWindow = windowDays === null ? "" : ` AND o.1 < t0 + {window_${i}: Int64}`;
  const matured = windowDays === null ? "" : ` AND t0 + {window_${i}: Int64} <= {until: Int64}`;
  const element = `o.${FIRST_VALUE + i}`;
  const sum = `arraySum(values${i})`;
  const capped = cap === null ? sum : `least(${sum}, {cap_${i}: Float64})`;
  const y = { binary: `toFloat64(arrayExists(v -> v != 0, values${i}))`, mean: capped, ratio: sum }[kind];
  const bins =
    kind === "ratio" ? `arrayMap(v -> ${fineBinSql("v")}, values${i})` : `[${fineBinSql(`y${i}`)}]`;
  return `
    arrayMap(o -> assumeNotNull(${element}),
      arrayFilter(o -> isNotNull(${element})${inWindow}, attributed)) AS values${i},
    toFloat64(length(values${i})) AS d${i},
    ${y} AS y${i},
    ${bins} AS bins${i},
    sampled${matured}${kind === "ratio" ? ` AND d${i} > 0` : ""} AS in${i}`;
}

function metricSums({ kind }: MetricQuery, i: number): string {
  const [y, d, sampled] = [`y${i}`, `d${i}`, `in${i}`];
  const perUser = kind !== "ratio";
  return `(
    countIf(${sampled}), ${kind === "binary" ? `countIf(${sampled})` : `sumIf(${d}, ${sampled})`},
    avgIf(${y}, ${sampled}), varPopStableIf(${y}, ${sampled}),
    ${perUser ? "1, 0, 0" : `avgIf(${d}, ${sampled}), varPopStableIf(${d}, ${sampled}), covarPopStableIf(${y}, ${d}, ${sampled})`},
    sumMapIf(bins${i}, arrayWithConstant(length(bins${i}), toUInt64(1)), ${sampled}))`;
}

function metricParams({ source, windowDays, cap }: MetricQuery, i: number): Record<string, unknown> {
  return {
    ...(source.event === "business_event" && { [`business_metric_${i}`]: source.businessMetric }),
    ...(windowDays !== null && { [`window_${i}`]: Math.round(windowDays * DAY_MS) }),
    ...(cap !== null && { [`cap_${i}`]: cap }),
  };
}
