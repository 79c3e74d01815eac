import { type AnalysisQuery, type ArmSampling, type EventsOfUnits, TEST_USER_PREFIX } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { countedRows, EXPOSURE_ORDER, IS_ELIGIBLE, unitColumn } from "../sql/conditions.ts";
import { hasSampled, IS_SAMPLED, WEIGHT } from "../sql/event-weight.ts";
import { hasCopies } from "../sql/has-copies.ts";
import { ON_ONE_THREAD } from "./parts.ts";

type Row = readonly [arm: string, ...counts: [number, number, number, number, number, number, number]];

/** Weights are added as whole numbers of this part of a call, so that their order does not matter. */
const PARTS_OF_A_CALL = 1_024;

/** Counts how many of an experiment's calls samplers kept, by arm; empty if they kept all. */
export async function loadSampling(
  engine: EventEngine,
  query: EventsOfUnits & Pick<AnalysisQuery, "until">,
): Promise<readonly ArmSampling[]> {
  const rows = countedRows(query);
  const sql = `${rows.counted} AND occurred_at < fromUnixTimestamp64Milli({until: Int64})`;
  const params = { ...rows.params, until: query.until };
  if (!(await hasSampled(engine, { sql, params }))) return [];
  const isFinal = await hasCopies(engine, { table: "analysis", sql, params });
  const unit = unitColumn(query.unit);
  const users = `
    SELECT argMinIf((variant, is_sampled, coalesce(marked_test, 0)), ${EXPOSURE_ORDER}, is_exposure) AS first,
      countIf(is_call) AS calls, countIf(is_call AND is_sampled) AS sampled,
      sumIf(toUInt64(round(${PARTS_OF_A_CALL} * weight)), is_call) AS weights,
      minIf(weight, is_call) AS smallest, maxIf(weight, is_call) AS largest
    FROM (
      SELECT ${unit}, variant, marked_test, occurred_at, event_id, ${IS_SAMPLED} AS is_sampled, ${WEIGHT} AS weight,
        ${IS_ELIGIBLE} AS is_exposure, type = 'model_call' AS is_call
      FROM analysis ${isFinal ? "FINAL" : ""} WHERE ${sql} AND NOT startsWith(user_id, {test_prefix: String})
    )
    GROUP BY ${unit}
    HAVING countIf(is_exposure) > 0 AND minIf(variant, is_exposure) = maxIf(variant, is_exposure) AND first.3 = 0`;
  const found = await engine.rows<Row>(
    `SELECT toString(first.1) AS arm, toFloat64(count()), toFloat64(countIf(first.2 = 1)), toFloat64(sum(calls)), toFloat64(sum(sampled)),
       toFloat64(sum(weights)) / ${PARTS_OF_A_CALL}, toFloat64(minIf(smallest, calls > 0)), toFloat64(max(largest))
     FROM ${engine.perShard(users)} GROUP BY arm ORDER BY arm`,
    { ...params, test_prefix: TEST_USER_PREFIX },
    ON_ONE_THREAD,
  );
  return found.map(([arm, users, sampledUsers, calls, sampledCalls, weight, smallest, largest]) => ({
    ...{ arm, users, sampledUsers, calls, sampledCalls, weight },
    ...{ smallestWeight: smallest, largestWeight: largest },
  }));
}
