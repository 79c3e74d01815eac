import { FACT_LETTER, type LoggedTraceQuery, type LoggedTraces } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { countedRows, EXPOSURE_ORDER, IS_ELIGIBLE, unitColumn } from "../sql/conditions.ts";
import { andOfPartSql, hashSql, ON_ONE_THREAD, partParams, partsFor } from "./parts.ts";

type Row = readonly [arm: string, period: number, traces: number, lost: number];

/** Reads the trace part of an event id. Events outside all traces have only zeros. */
const TRACE = "substring(event_id, 1, 32)";
const LETTER = "substring(event_id, 35 + length(experiment_id), 1)";
const OF_TRACE = `source = 'otlp' AND ${TRACE} != repeat('0', 32)`;
const IS_LOGGED = `${OF_TRACE} AND ${LETTER} = '${FACT_LETTER.loggedEvaluation}'
  AND ${IS_ELIGIBLE} AND occurred_at < fromUnixTimestamp64Milli({evaluated_until: Int64})`;
const IS_SEEN = `${OF_TRACE} AND ${LETTER} IN ('${FACT_LETTER.evaluation}', '${FACT_LETTER.call}')`;

/**
 * Counts each user's traces with a logged evaluation, and how many of these sent nothing else. If the events do not fit in
 * memory, it reads only the users of the first part by hash.
 */
export async function loadLoggedTraces(
  engine: EventEngine,
  { until, evaluatedUntil, periodStarts, maxUsers, ...query }: LoggedTraceQuery,
): Promise<readonly LoggedTraces[]> {
  const { counted, params } = countedRows(query);
  const where = `${counted} AND occurred_at < fromUnixTimestamp64Milli({until: Int64})`;
  const [found] = await engine.rows<[number]>(
    `SELECT sum(events) FROM ${engine.perShard(`SELECT count() AS events FROM analysis WHERE ${where}`)}`,
    { ...params, until },
  );
  const [part] = partsFor(found![0]);
  if (part === undefined) return [];
  const [unit, hash] = [unitColumn(query.unit), hashSql(query.unit)];
  const users = `
    SELECT ${hash} AS hash, argMinIf(variant, ${EXPOSURE_ORDER}, ${IS_ELIGIBLE}) AS arm,
      arrayCount(start -> start <= minIf(toUnixTimestamp64Milli(occurred_at), ${IS_ELIGIBLE}), {period_starts: Array(Int64)}) AS period,
      uniqExactIf(trace, is_logged) AS traces, uniqExactIf(trace, is_logged OR is_seen) - uniqExactIf(trace, is_seen) AS lost
    FROM (
      SELECT ${unit}, type, variant, ineligible_reason, occurred_at, event_id,
        cityHash64(${TRACE}) AS trace, ${IS_LOGGED} AS is_logged, ${IS_SEEN} AS is_seen
      FROM analysis WHERE ${where}${andOfPartSql(part, hash)}
    )
    GROUP BY ${unit}
    HAVING traces > 0 AND minIf(variant, ${IS_ELIGIBLE}) = maxIf(variant, ${IS_ELIGIBLE})`;
  const rows = await engine.rows<Row>(
    `SELECT arm, period, toFloat64(traces), toFloat64(lost) FROM ${engine.perShard(users)} ORDER BY hash LIMIT {max_users: UInt32}`,
    {
      ...{ ...params, ...partParams(part), until, evaluated_until: evaluatedUntil },
      ...{ period_starts: periodStarts, max_users: maxUsers },
    },
    ON_ONE_THREAD,
  );
  return rows.map(([arm, period, traces, lost]) => ({ arm, period, traces, lost }));
}
