import { DAY_MS, type FactsQuery, TEST_USER_PREFIX } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import { hasNoCostSql, priceParams } from "../sql/call-cost-sql.ts";
import { countedRows } from "../sql/conditions.ts";
import type { SelectedEvents } from "../sql/selected-events.ts";
import { HASH } from "./parts.ts";

const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** Providers' finish reasons for an answer that ran out of tokens. */
const TRUNCATED = ["length", "max_tokens", "max_output_tokens", "model_length", "incomplete"];

/** The conditions that an event is marked by, whatever arm its user is in; a later one may use the names of those before it. */
export const MARKED = {
  test: "coalesce(marked_test, 0) = 1 OR startsWith(user_id, {test_prefix: String})",
  completed: "(type = 'model_call' AND NOT coalesce(error, 0)) AS completed",
  missingUsage: "completed AND (isNull(input_tokens) OR isNull(output_tokens))",
  truncated: `completed AND lower(finish_reason) IN (${TRUNCATED.map((reason) => `'${reason}'`).join(", ")})`,
  cutStreams: "type = 'model_call' AND coalesce(usage_estimated, 0) = 1",
  reportsCached: "completed AND isNotNull(input_tokens) AND isNotNull(cached_input_tokens)",
  late: `toUnixTimestamp64Milli(received_at) - at > ${DAY_MS}`,
  future: `toUnixTimestamp64Milli(received_at) - at < -${CLOCK_TOLERANCE_MS}`,
} as const;

const MARKS = [...Object.keys(MARKED), "unpriced"] as (keyof typeof MARKED | "unpriced")[];

/** The bit of each mark in a group's `marks`. */
export const MARK = Object.fromEntries(MARKS.map((mark, i) => [mark, 2 ** i])) as Readonly<
  Record<(typeof MARKS)[number], number>
>;

/** What events of a user have in common to be counted as one group, as columns of the log. Of outcomes, nobody asks the last two. */
const GROUP_COLUMNS =
  "user_id, type, variant, source, business_metric, ineligible_reason, model, requested_model, assigned, sent_by";

/** What `eventGroupsQuery` needs besides the experiment's events. */
export interface FactsParts {
  /** The events that are read. */
  readonly where: SelectedEvents;
  /** When set, events that were received from then on (epoch milliseconds) are groups of their own. */
  readonly openFrom: number | null;
  /** Whether an event may be stored twice: without copies, the log is read much faster. */
  readonly hasCopies: boolean;
}

/**
 * Builds one pass over an experiment's analysis log: a row per user and group of equal events (`readGroup` reads it). Nearly all events
 * of a user are equal in what is asked here, so the rows are few.
 */
export function eventGroupsQuery(query: FactsQuery, { where, openFrom, hasCopies }: FactsParts): BoundQuery {
  const rows = countedRows(query);
  const marks = [...Object.values(MARKED), `completed AND ${hasNoCostSql(query.prices)}`].map(
    (condition, i) => `${2 ** i} * (${condition})`,
  );
  const ofExposure = (column: string) => `if(type = 'exposure', ${column}, '')`;
  return {
    sql: `
      SELECT ${HASH} AS hash, is_open, type, variant, source, business_metric, ineligible_reason, model, requested_model,
        toString(assigned), toString(sent_by), marks, toFloat64(count()), toFloat64(min(at)), toFloat64(max(at)),
        ifNull(sum(input_tokens), 0), ifNull(sum(least(cached_input_tokens, input_tokens)), 0), argMin(exposure_id, (at, exposure_id))
      FROM (
        SELECT user_id, type, variant, source, business_metric, ineligible_reason, model, requested_model,
          ${ofExposure("assigned_variant")} AS assigned, ${ofExposure("client")} AS sent_by, ${ofExposure("event_id")} AS exposure_id,
          input_tokens, cached_input_tokens, toUnixTimestamp64Milli(occurred_at) AS at, toUInt16(${marks.join(" + ")}) AS marks,
          toUInt8(${openFrom === null ? "0" : "received_at >= fromUnixTimestamp64Milli({open_from: Int64})"}) AS is_open
        FROM ${where.table} ${hasCopies ? "FINAL" : ""}
        WHERE ${rows.counted} AND occurred_at < fromUnixTimestamp64Milli({until: Int64}) AND ${where.sql}
      )
      GROUP BY ${GROUP_COLUMNS}, marks, is_open`,
    params: {
      ...{ ...rows.params, ...where.params, until: query.until, test_prefix: TEST_USER_PREFIX },
      ...(openFrom !== null && { open_from: openFrom }),
      ...priceParams(query.prices),
    },
  };
}
