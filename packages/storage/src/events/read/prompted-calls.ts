import {
  type CallCell,
  type CellQuota,
  DAY_MS,
  dayOf,
  type PromptedCall,
  type PromptedCallsQuery,
  startOfDay,
  TEST_USER_PREFIX,
} from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { countedRows, EVENT_KEY } from "../sql/conditions.ts";

/** The length step of a prompt: four steps per doubling of its bytes. */
const STEP = "toUInt8(floor(4 * log2(length(prompt))))";

/** Counts the calls by UTC day and length step. Each query covers one day, so it keeps only that day's ids in memory. */
export async function countPrompted(
  engine: EventEngine,
  query: PromptedCallsQuery,
): Promise<readonly CallCell[]> {
  const cells: CallCell[] = [];
  for (const part of daysOf(query)) {
    const { sql, params } = promptedSql(part);
    const rows = await engine.rows<[step: number, calls: number]>(
      `SELECT step, sum(calls) FROM ${engine.perShard(
        `SELECT ${STEP} AS step, uniqExact(${EVENT_KEY}) AS calls FROM raw_events WHERE ${sql} GROUP BY step`,
      )} GROUP BY step ORDER BY step`,
      params,
    );
    const day = startOfDay(dayOf(part.from));
    cells.push(...rows.map(([step, calls]) => ({ day, step, calls })));
  }
  return cells;
}

type DrawnRow = readonly [
  eventId: string,
  userId: string,
  occurredAt: number,
  receivedAt: number,
  samplingProbability: number | null,
  promptBytes: number,
];

/** Draws the quota of each cell: the calls with the smallest hashes. Oldest first. */
export async function drawPrompted(
  engine: EventEngine,
  query: PromptedCallsQuery & { readonly salt: string },
  plan: readonly CellQuota[],
): Promise<readonly PromptedCall[]> {
  const drawn: PromptedCall[] = [];
  const quotasByDay = Map.groupBy(
    plan.filter(({ quota }) => quota > 0),
    ({ day }) => day,
  );
  for (const part of daysOf(query)) {
    const cells = quotasByDay.get(startOfDay(dayOf(part.from)));
    if (cells === undefined) continue;
    const { sql, params } = promptedSql(part);
    const calls = firstPlacesSql(
      engine.perShard(
        firstPlacesSql(`(
          SELECT event_id, user_id, toUnixTimestamp64Milli(occurred_at) AS occurred,
            toUnixTimestamp64Milli(received_at) AS received, sampling_probability, length(prompt) AS prompt_bytes,
            transform(${STEP}, {steps: Array(UInt8)}, {quotas: Array(UInt32)}, 0) AS wanted,
            murmurHash3_32(concat({salt: String}, '|', event_id)) AS hash, ${STEP} AS step
          FROM raw_events WHERE ${sql}
          ORDER BY received LIMIT 1 BY event_id
        )`),
      ),
    );
    const rows = await engine.rows<DrawnRow>(
      `SELECT event_id, user_id, occurred, received, sampling_probability, prompt_bytes
       FROM (${calls}) ORDER BY occurred, event_id`,
      {
        ...params,
        salt: query.salt,
        steps: cells.map(({ step }) => step),
        quotas: cells.map(({ quota }) => quota),
      },
    );
    for (const [eventId, userId, occurredAt, receivedAt, samplingProbability, promptBytes] of rows)
      drawn.push({ eventId, userId, occurredAt, receivedAt, samplingProbability, promptBytes });
  }
  return drawn;
}

/** Writes the quota per step; it applies on each shard first, then over all shards. */
function firstPlacesSql(calls: string): string {
  return `
    SELECT event_id, user_id, occurred, received, sampling_probability, prompt_bytes, wanted, hash, step
    FROM (SELECT *, row_number() OVER (PARTITION BY step ORDER BY hash, event_id) AS place FROM ${calls})
    WHERE place <= wanted`;
}

/** Splits a window at the beginnings of UTC days. */
function* daysOf(query: PromptedCallsQuery): Generator<PromptedCallsQuery> {
  for (let from = query.from; from < query.until; ) {
    const until = Math.min(startOfDay(dayOf(from)) + DAY_MS, query.until);
    yield { ...query, from, until };
    from = until;
  }
}

/** Skips ids with a NUL, which other databases do not accept. */
function promptedSql({ from, until, ...events }: PromptedCallsQuery) {
  const { counted, params } = countedRows(events);
  return {
    sql: `${counted} AND type = 'model_call'
      AND occurred_at >= fromUnixTimestamp64Milli({from: Int64})
      AND occurred_at < fromUnixTimestamp64Milli({until: Int64})
      AND received_at >= fromUnixTimestamp64Milli({received_from: Int64})
      AND NOT startsWith(user_id, {test_prefix: String})
      AND position(user_id, char(0)) = 0 AND position(event_id, char(0)) = 0
      AND prompt != ''`,
    params: {
      ...params,
      ...{ from, until, test_prefix: TEST_USER_PREFIX },
      // A timestamp is at most a day ahead of its receipt, so older partitions contain none of these calls.
      received_from: from - DAY_MS,
    },
  };
}
