import { type ArmHealth, DAY_MS, type Finding, type HealthQuery, TEST_USER_PREFIX } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { hasNoCostSql, priceParams, withoutSnapshotSql } from "../sql/call-cost-sql.ts";
import { type CountedRows, countedRows, EXPOSURE_ORDER, IS_ELIGIBLE } from "../sql/conditions.ts";

const MODELS_PER_ARM = 50;
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** Providers' finish reasons for an answer that ran out of tokens. */
const TRUNCATED = ["length", "max_tokens", "max_output_tokens", "model_length", "incomplete"];

type Fault = keyof { [K in keyof ArmHealth as ArmHealth[K] extends Finding ? K : never]: K };

/** The condition of each fault. */
const FAULTY: Readonly<Record<Fault, string>> = {
  missingUsage: "completed AND (isNull(input_tokens) OR isNull(output_tokens))",
  unpriced: "unpriced",
  errors: "is_call AND NOT completed",
  truncated: `completed AND lower(finish_reason) IN (${TRUNCATED.map((reason) => `'${reason}'`).join(", ")})`,
  cutStreams: "is_call AND coalesce(usage_estimated, 0) = 1",
  otherModel: `names_model AND ${comparableSql("model")} != ${comparableSql("expected")}`,
  late: `delay > ${DAY_MS}`,
  future: `delay < -${CLOCK_TOLERANCE_MS}`,
  severalVariants: "is_exposure AND variant != arm",
  variantConflicts: "type != 'exposure' AND variant != '' AND arm != '' AND variant != arm",
  testEvents: "is_exposure AND (is_test OR startsWith(user_id, {test_prefix: String}))",
};

/** The condition for counting, where it differs from the fault's: a user counts once, by the first exposure. */
const COUNTED_WHERE: Partial<typeof FAULTY> = { severalVariants: "is_first AND has_several_variants" };

/** A time after that of every event: that of a fault that no event has. */
const NEVER = Number.MAX_SAFE_INTEGER;

const FAULTS = Object.keys(FAULTY) as readonly Fault[];

type HealthRow = readonly [
  arm: string,
  inputTokens: number,
  cachedInputTokens: number,
  models: readonly (readonly [minusCalls: number, model: string, unpricedCalls: number])[],
  counts: readonly number[],
  since: readonly number[],
];

/** The conditions of what is counted beside the faults. */
const COUNTED = {
  users: "is_first",
  events: "1",
  calls: "is_call",
  completedCalls: "completed",
  unpricedCalls: "unpriced",
  callsWithModel: "names_model",
} as const;

const COUNTS = Object.keys(COUNTED) as readonly (keyof typeof COUNTED)[];

/** Loads quality counts of an experiment's events, sorted by arm. */
export async function loadHealth(engine: EventEngine, query: HealthQuery): Promise<readonly ArmHealth[]> {
  const { sql, params } = healthQuery(engine, query);
  return (await engine.rows<HealthRow>(sql, params, { join_algorithm: "hash" })).map(toHealth);
}

/**
 * Builds one pass over an experiment's analysis log. Events stream past a table with one row per user and are counted by
 * arm and model, so memory does not grow with the number of events. Counts travel as arrays, `COUNTS` then `FAULTS`: with an
 * aggregate of its own for each, planning the query would take several times as long.
 */
function healthQuery(
  { perShard }: Pick<EventEngine, "perShard">,
  { configuredModels, ...query }: HealthQuery,
): BoundQuery {
  const rows = countedRows(query);
  const count = (name: keyof typeof COUNTED) => `counts[${COUNTS.indexOf(name) + 1}]`;
  return {
    sql: `
      SELECT arm, ifNull(sum(input), 0), ifNull(sum(cached_input), 0),
        groupArraySortedIf(${MODELS_PER_ARM})(
          (-${count("completedCalls")}, model, ${count("unpricedCalls")}), model != '' AND ${count("completedCalls")} > 0),
        sumForEach(counts), minForEach(since)
      FROM (
        SELECT arm, toString(model) AS model, sum(input) AS input, sum(cached_input) AS cached_input,
          sumForEach(counts) AS counts, minForEach(since) AS since
        FROM ${perShard(byModelSql(rows, query.prices))}
        GROUP BY arm, model
      )
      GROUP BY arm ORDER BY arm`,
    params: {
      ...rows.params,
      until: query.until,
      test_prefix: TEST_USER_PREFIX,
      configured_arms: Object.keys(configuredModels),
      configured_models: Object.values(configuredModels),
      ...priceParams(query.prices),
    },
  };
}

/** One row per arm and model. */
function byModelSql(rows: CountedRows, prices: HealthQuery["prices"]): string {
  const faults = FAULTS.map((fault, i) => COUNTED_WHERE[fault] ?? `faults[${i + 1}]`);
  return `
    SELECT arm, model, sumIf(input_tokens, reports_cached) AS input,
      sumIf(least(cached_input_tokens, input_tokens), reports_cached) AS cached_input,
      sumForEach([${[...Object.values(COUNTED), ...faults].join(", ")}]) AS counts,
      minForEach(arrayMap(is_faulty -> if(is_faulty, at, ${NEVER}), faults)) AS since
    FROM (
      SELECT *, is_exposure AND event_id = first_event_id AS is_first,
        transform(arm, {configured_arms: Array(String)}, {configured_models: Array(String)}, '') AS configured,
        if(configured != '', configured, requested_model) AS expected,
        completed AND model != '' AND expected != '' AS names_model,
        completed AND isNotNull(input_tokens) AND isNotNull(cached_input_tokens) AS reports_cached,
        [${FAULTS.map((fault) => FAULTY[fault]).join(", ")}] AS faults
      FROM (${eventsSql(rows, prices)}) AS events
      LEFT JOIN (${armsSql(rows)}) AS arms USING (user_id)
    )
    GROUP BY arm, model`;
}

function eventsSql({ counted }: CountedRows, prices: HealthQuery["prices"]): string {
  return `
    SELECT user_id, event_id, type, variant, model, requested_model, finish_reason,
      input_tokens, output_tokens, cached_input_tokens, usage_estimated,
      toUnixTimestamp64Milli(occurred_at) AS at,
      toUnixTimestamp64Milli(received_at) - at AS delay,
      ${IS_ELIGIBLE} AS is_exposure, coalesce(marked_test, 0) = 1 AS is_test,
      type = 'model_call' AS is_call,
      is_call AND NOT coalesce(error, 0) AS completed,
      completed AND ${hasNoCostSql(prices)} AS unpriced
    FROM analysis FINAL
    WHERE ${counted}
      AND occurred_at < fromUnixTimestamp64Milli({until: Int64})`;
}

/** One row per exposed user: the arm, the exposure that decided it, and whether other exposures name another arm. */
function armsSql({ isExposure }: CountedRows): string {
  return `
    SELECT user_id, argMin(variant, ${EXPOSURE_ORDER}) AS arm, argMin(event_id, ${EXPOSURE_ORDER}) AS first_event_id,
      min(variant) != max(variant) AS has_several_variants
    FROM analysis WHERE ${isExposure} GROUP BY user_id`;
}

/** Normalizes a model's name for comparison: lower case, without a provider's prefix and a snapshot's date or `latest`. */
function comparableSql(name: string): string {
  const bare = `replaceRegexpOne(lower(${name}), '^.*/', '')`;
  return `replaceRegexpOne(${withoutSnapshotSql(bare)}, '[-@]latest$', '')`;
}

function toHealth([arm, inputTokens, cachedInputTokens, models, counts, since]: HealthRow): ArmHealth {
  const count = (name: keyof typeof COUNTED) => counts[COUNTS.indexOf(name)]!;
  const found = FAULTS.map((fault, i): [Fault, Finding] => {
    const at = since[i]!;
    return [fault, { count: counts[COUNTS.length + i]!, since: at === NEVER ? null : at }];
  });
  return {
    ...{ arm, inputTokens, cachedInputTokens, users: count("users"), events: count("events") },
    ...{ calls: count("calls"), completedCalls: count("completedCalls") },
    callsWithModel: count("callsWithModel"),
    ...(Object.fromEntries(found) as Record<Fault, Finding>),
    models: models.map(([minusCalls, model, unpricedCalls]) => ({
      model,
      calls: -minusCalls,
      unpricedCalls,
    })),
  };
}
