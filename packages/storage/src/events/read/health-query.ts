import { type ArmHealth, DAY_MS, type Finding, type HealthQuery, TEST_USER_PREFIX } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { CALL_COST, priceParams, withoutSnapshotSql } from "../sql/call-cost-sql.ts";
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
  otherModel: `names_model AND ${comparableSql("model")} != ${comparableSql("expected")}`,
  late: `delay > ${DAY_MS}`,
  future: `delay < -${CLOCK_TOLERANCE_MS}`,
  severalVariants: "is_exposure AND variant != arm",
  variantConflicts: "type != 'exposure' AND variant != '' AND arm != '' AND variant != arm",
  testEvents: "is_exposure AND (is_test OR startsWith(user_id, {test_prefix: String}))",
};

/** The condition for counting, where it differs from the fault's: a user counts once, by the first exposure. */
const COUNTED_WHERE: Partial<typeof FAULTY> = { severalVariants: "is_first AND has_several_variants" };

const FAULTS = Object.keys(FAULTY) as readonly Fault[];

type FindingRow = readonly [count: number, since: number | null];

type HealthRow = readonly [
  arm: string,
  users: number,
  events: number,
  calls: number,
  completedCalls: number,
  callsWithModel: number,
  inputTokens: number,
  cachedInputTokens: number,
  models: readonly (readonly [model: string, calls: number, unpricedCalls: number])[],
  ...findings: readonly FindingRow[],
];

/** Loads quality counts of an experiment's events, sorted by arm. */
export async function loadHealth(engine: EventEngine, query: HealthQuery): Promise<readonly ArmHealth[]> {
  const { sql, params } = healthQuery(engine, query);
  return (await engine.rows<HealthRow>(sql, params, { join_algorithm: "hash" })).map(toHealth);
}

/**
 * Builds one pass over an experiment's analysis log. Events stream past a table with one row per user and are counted by
 * arm and model, so memory does not grow with the number of events.
 */
function healthQuery(
  { perShard }: Pick<EventEngine, "perShard">,
  { configuredModels, ...query }: HealthQuery,
): BoundQuery {
  const rows = countedRows(query);
  const sums = ["users", "events", "calls", "completed_calls", "calls_with_model", "input", "cached_input"];
  const findings = FAULTS.map((_, i) => `, (sum(count_${i}), min(since_${i}))`);
  const counts = [...sums, "unpriced_calls", ...FAULTS.map((_, i) => `count_${i}`)];
  const models =
    "groupArrayIf((model, completed_calls, unpriced_calls), model != '' AND completed_calls > 0)";
  return {
    sql: `
      SELECT arm, ${sums.map((name) => `ifNull(sum(${name}), 0)`).join(", ")},
        arraySlice(arraySort(m -> (-m.2, m.1), ${models}), 1, ${MODELS_PER_ARM})
        ${findings.join("")}
      FROM (
        SELECT arm, model ${counts.map((name) => `, sum(${name}) AS ${name}`).join("")}
          ${FAULTS.map((_, i) => `, min(since_${i}) AS since_${i}`).join("")}
        FROM ${perShard(byModelSql(rows))}
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
function byModelSql(rows: CountedRows): string {
  const findings = FAULTS.map(
    (fault, i) => `,
      countIf(${COUNTED_WHERE[fault] ?? FAULTY[fault]}) AS count_${i}, minOrNullIf(at, ${FAULTY[fault]}) AS since_${i}`,
  );
  const reportsCached = "completed AND isNotNull(input_tokens) AND isNotNull(cached_input_tokens)";
  return `
    SELECT arm, model, countIf(is_first) AS users, count() AS events, countIf(is_call) AS calls,
      countIf(completed) AS completed_calls, countIf(unpriced) AS unpriced_calls,
      countIf(names_model) AS calls_with_model,
      sumIf(input_tokens, ${reportsCached}) AS input,
      sumIf(least(cached_input_tokens, input_tokens), ${reportsCached}) AS cached_input
      ${findings.join("")}
    FROM (
      SELECT *, is_exposure AND event_id = first_event_id AS is_first,
        transform(arm, {configured_arms: Array(String)}, {configured_models: Array(String)}, '') AS configured,
        if(configured != '', configured, requested_model) AS expected,
        completed AND model != '' AND expected != '' AS names_model
      FROM (${eventsSql(rows)}) AS events
      LEFT JOIN (${armsSql(rows)}) AS arms USING (user_id)
    )
    GROUP BY arm, model`;
}

function eventsSql({ counted }: CountedRows): string {
  return `
    SELECT user_id, event_id, type, variant, model, requested_model, finish_reason,
      input_tokens, output_tokens, cached_input_tokens,
      toUnixTimestamp64Milli(occurred_at) AS at,
      toUnixTimestamp64Milli(received_at) - at AS delay,
      ${IS_ELIGIBLE} AS is_exposure, coalesce(marked_test, 0) = 1 AS is_test,
      type = 'model_call' AS is_call,
      is_call AND NOT coalesce(error, 0) AS completed,
      completed AND isNull(${CALL_COST}) AS unpriced
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

function toHealth(row: HealthRow): ArmHealth {
  const [arm, users, events, calls, completedCalls, callsWithModel, ...more] = row;
  const [inputTokens, cachedInputTokens, models, ...findings] = more;
  const found = FAULTS.map((fault, i): [Fault, Finding] => {
    const [count, since] = findings[i] as FindingRow;
    return [fault, { count, since }];
  });
  return {
    ...{ arm, users, events, calls, completedCalls, callsWithModel, inputTokens, cachedInputTokens },
    ...(Object.fromEntries(found) as Record<Fault, Finding>),
    models: models.map(([model, modelCalls, unpricedCalls]) => ({ model, calls: modelCalls, unpricedCalls })),
  };
}
