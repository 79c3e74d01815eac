import { type ComparedCall, type ComparedCallsQuery, TEST_USER_PREFIX } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { callCostSql, priceParams } from "../sql/call-cost-sql.ts";
import { OF_EXPERIMENT } from "../sql/conditions.ts";
import { aliased, type Fields, named, toRecord } from "./raw-events.ts";

const FIELDS = {
  eventId: "event_id",
  userId: "user_id",
  unitId: "nullIf(unit_id, '')",
  variant: "nullIf(toString(variant), '')",
  occurredAt: "toUnixTimestamp64Milli(occurred_at)",
  hasFailed: "CAST(coalesce(error, 0) != 0, 'Bool')",
  prompt: "prompt",
  response: "nullIf(substringUTF8(response, 1, {answer_length: UInt32}), '')",
  isCut: "CAST(lengthUTF8(response) > {answer_length: UInt32}, 'Bool')",
  model: "nullIf(toString(model), '')",
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  costUsd: "if(isFinite(cost), cost, NULL)",
  latencyMs: "latency_ms",
} as const satisfies Fields<keyof ComparedCall>;

/**
 * Reads in two steps: it finds the newest calls from the small columns, then reads the texts of only these calls. Skips ids
 * with a NUL, because not every database could store a pick with such an id.
 */
export async function listCompared(
  engine: EventEngine,
  query: ComparedCallsQuery,
): Promise<readonly ComparedCall[]> {
  const { orgId, experimentId, prices, eventIds, perVariant, limit, longestPrompt, answerLength } = query;
  const keys = `
    SELECT user_id, event_id FROM raw_events FINAL
    WHERE ${OF_EXPERIMENT} AND type = 'model_call'
      AND NOT startsWith(user_id, {test_prefix: String})
      AND position(user_id, char(0)) = 0 AND position(event_id, char(0)) = 0
      ${eventIds === undefined ? "" : "AND event_id IN {event_ids: Array(String)}"}
    ORDER BY occurred_at DESC, event_id LIMIT {per_variant: UInt32} BY variant, if(variant = '', user_id, '') LIMIT {count: UInt32}`;
  const rows = await engine.rows<unknown[]>(
    `SELECT ${named(FIELDS)} FROM ${engine.perShard(`
       SELECT event_id, occurred_at, ${callCostSql(prices)} AS cost, ${aliased(FIELDS)} FROM raw_events
       WHERE ${OF_EXPERIMENT} AND (user_id, event_id) IN (${keys})
         AND prompt != '' AND length(prompt) <= {longest_prompt: UInt32} AND (response != '' OR error != 0)
     `)}
     ORDER BY occurred_at DESC, event_id LIMIT 1 BY event_id LIMIT {count: UInt32}`,
    {
      ...{ org_id: orgId, experiment_id: experimentId, test_prefix: TEST_USER_PREFIX },
      ...{
        per_variant: perVariant,
        count: limit,
        longest_prompt: longestPrompt,
        answer_length: answerLength,
      },
      ...(eventIds !== undefined && { event_ids: eventIds }),
      ...priceParams(prices),
    },
  );
  return rows.map((row) => toRecord<ComparedCall>(FIELDS, row));
}
