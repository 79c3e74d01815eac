import {
  DAY_MS,
  type JudgeableCall,
  type JudgeableCount,
  type JudgeableQuery,
  type JudgeableQuotas,
  TEST_USER_PREFIX,
} from "@assay/domain";
import type { ClickHouseSettings } from "@clickhouse/client";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { compareBytes } from "../sql/compare-bytes.ts";
import { countedRows, EXPOSURE_ORDER, OF_EXPERIMENT, unitColumn } from "../sql/conditions.ts";

/** Calls of a user beyond this many are ignored: no draw takes that many in a day. */
const RANKS = 50;

type CountRow = readonly [arm: string, rank: number, calls: number];

/** Counts the calls in a time range that a judge could score, by arm and by rank among the user's calls. */
export async function countJudgeable(
  engine: EventEngine,
  query: JudgeableQuery,
): Promise<readonly JudgeableCount[]> {
  const counted = countedRows(query);
  const rows = await engine.rows<CountRow>(
    `SELECT arm, rank, sum(found) FROM ${engine.perShard(`
       SELECT arm, rank, count() AS found FROM (${judgedUsersSql(query)})
       ARRAY JOIN range(1, least(length(calls), ${RANKS}) + 1) AS rank
       GROUP BY arm, rank`)}
     GROUP BY arm, rank ORDER BY arm, rank`,
    { ...paramsOf(query), ...counted.params },
    SETTINGS,
  );
  return rows.map(([arm, rank, calls]) => ({ arm, rank, calls }));
}

type CallRow = readonly [
  eventId: string,
  userId: string,
  unitId: string | null,
  arm: string,
  occurredAt: number,
  order: number,
  callsOfUser: number,
  hasFailed: 0 | 1,
  samplingProbability: number,
];

/** Draws calls by quota per arm and rank, from the users with the smallest hashes. */
export async function drawJudgeable(
  engine: EventEngine,
  query: JudgeableQuery,
  quotas: JudgeableQuotas,
): Promise<readonly JudgeableCall[]> {
  const calls = firstPlacesSql(
    engine.perShard(
      firstPlacesSql(`(
        SELECT user_id, arm, length(calls) AS calls_of_user, call, rank, quota[rank] AS wanted
        FROM (
          SELECT *, {quotas: Array(Array(UInt32))}[indexOf({arms: Array(String)}, arm)] AS quota
          FROM (${judgedUsersSql(query)})
        )
        ARRAY JOIN arraySlice(calls, 1, length(quota)) AS call,
          arrayEnumerate(arraySlice(calls, 1, length(quota))) AS rank
      )`),
    ),
  );
  const params = { arms: Object.keys(quotas), quotas: Object.values(quotas) };
  return onceEach(await loadCalls(engine, query, { sql: `(${calls})`, params }));
}

/** Draws all calls that `countJudgeable` counts, and counts them. The engine would need twice as long to plan two queries. */
export async function drawAllJudgeable(
  engine: EventEngine,
  query: JudgeableQuery,
): Promise<{ readonly counts: readonly JudgeableCount[]; readonly calls: readonly JudgeableCall[] }> {
  const sql = engine.perShard(`
    SELECT user_id, arm, length(calls) AS calls_of_user, call FROM (${judgedUsersSql(query)})
    ARRAY JOIN arraySlice(calls, 1, ${RANKS}) AS call`);
  const calls = await loadCalls(engine, query, { sql, params: {} });
  return { counts: countByRank(calls), calls: onceEach(calls) };
}

function countByRank(calls: readonly JudgeableCall[]): readonly JudgeableCount[] {
  const arms = [...Map.groupBy(calls, ({ arm }) => arm)].sort(([one], [other]) => compareBytes(one, other));
  return arms.flatMap(([arm, ofArm]) => {
    const counts: number[] = [];
    for (const own of Map.groupBy(ofArm, ({ userId }) => userId).values())
      for (const rank of own.keys()) counts[rank] = (counts[rank] ?? 0) + 1;
    return counts.map((found, rank) => ({ arm, rank: rank + 1, calls: found }));
  });
}

/** Loads calls, ordered by hash. `sql` is a subquery that returns them by user and arm. */
async function loadCalls(
  engine: EventEngine,
  query: JudgeableQuery,
  { sql, params }: BoundQuery,
): Promise<readonly JudgeableCall[]> {
  const rows = await engine.rows<CallRow>(
    `SELECT call.2, user_id, ${query.unit === "user" ? "NULL" : "call.4"}, arm, call.3, ${orderSql("call.2")} AS order, calls_of_user, call.5, call.6
     FROM ${sql}
     ORDER BY order, call.2`,
    { ...paramsOf(query), ...countedRows(query).params, ...params },
    SETTINGS,
  );
  return rows.map(
    ([eventId, userId, unitId, arm, occurredAt, order, callsOfUser, hasFailed, samplingProbability]) => ({
      ...{ eventId, userId, unitId, arm, occurredAt, order, callsOfUser, samplingProbability },
      hasFailed: hasFailed === 1,
    }),
  );
}

/** Keeps one call per id: two processes can store the same id at the same moment for two users. */
function onceEach(calls: readonly JudgeableCall[]): readonly JudgeableCall[] {
  return [...new Map(calls.map((call) => [call.eventId, call])).values()];
}

const SETTINGS: ClickHouseSettings = { join_algorithm: "hash" };

/** Writes the limit per arm and rank; it applies on each shard first, then over all shards. */
function firstPlacesSql(calls: string): string {
  return `
    SELECT user_id, arm, calls_of_user, call, rank, wanted
    FROM (
      SELECT *, row_number() OVER (PARTITION BY arm, rank ORDER BY ${hashSql("user", "user_id")}, user_id) AS place
      FROM ${calls}
    )
    WHERE place <= wanted`;
}

/**
 * Writes a query with a row for each user who was exposed to a single arm and has judgeable calls. `calls` has tuples of hash, event
 * id, instant, variant, failure and sampling probability, smallest hash first. If the unit is not the user, there is a row for each
 * user and arm, and `calls` has the last call of each unit, with the unit in place of the variant. The texts are only in the raw log.
 * Equal rows of one event count as one call, so FINAL is not needed. Skips ids with a NUL, which other databases do not accept.
 */
function judgedUsersSql(query: JudgeableQuery): string {
  const unit = unitColumn(query.unit);
  const { notExcluded, isExposure } = countedRows(query);
  const found = `
    SELECT ${unit}, caller, arm,
      arraySort(arrayFilter(c -> c.3 >= t0 AND (c.4 = '' OR c.4 = arm), unit_calls)) AS calls
    FROM (
      SELECT ${unit}, any(user_id) AS caller, groupUniqArray((
        ${hashSql("call", "event_id")}, event_id, toUnixTimestamp64Milli(occurred_at), toString(variant),
        coalesce(error, 0) != 0, toFloat64(coalesce(sampling_probability, 1))
      )) AS unit_calls
      FROM raw_events
      WHERE ${OF_EXPERIMENT}${notExcluded} AND type = 'model_call'
        AND occurred_at >= fromUnixTimestamp64Milli({from: Int64})
        AND occurred_at < fromUnixTimestamp64Milli({until: Int64})
        AND received_at >= fromUnixTimestamp64Milli({received_from: Int64})
        AND NOT startsWith(user_id, {test_prefix: String})
        AND position(user_id, char(0)) = 0 AND position(event_id, char(0)) = 0
        AND (error != 0 OR response != '')
      GROUP BY ${unit}
    ) AS callers
    INNER JOIN (
      SELECT ${unit}, argMin(toString(variant), ${EXPOSURE_ORDER}) AS arm, toUnixTimestamp64Milli(min(occurred_at)) AS t0
      FROM analysis WHERE ${isExposure}
      GROUP BY ${unit} HAVING min(variant) = max(variant)
    ) AS arms USING (${unit})
    WHERE notEmpty(calls)`;
  if (query.unit === "user") return found;
  return `
    SELECT caller AS user_id, arm, arraySort(groupArray((${hashSql("call", unit)}, last.2, last.3, ${unit}, 0, last.6))) AS calls
    FROM (SELECT *, arraySort(c -> (c.3, c.2), calls)[-1] AS last FROM (${found}))
    WHERE position(${unit}, char(0)) = 0
    GROUP BY caller, arm`;
}

/**
 * Writes a 32-bit hash that is the same in every version of the engine: murmur3, as in bucketing. Each purpose has its
 * own hash, so that the order of judging does not depend on how many calls a user made.
 */
function hashSql(purpose: "call" | "user", id: string): string {
  return `murmurHash3_32(concat({salt: String}, '|${purpose}|', ${id}))`;
}

/** Writes the hash that orders all drawn calls. */
function orderSql(id: string): string {
  return `murmurHash3_32(concat('order|', ${id}))`;
}

function paramsOf({ from, until, salt }: JudgeableQuery): Record<string, unknown> {
  return {
    ...{ from, until, salt, test_prefix: TEST_USER_PREFIX },
    // A timestamp is at most a day ahead of its receipt, so older partitions contain none of these calls.
    received_from: from - DAY_MS,
  };
}
