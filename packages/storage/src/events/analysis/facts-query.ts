import { DAY_MS, type FactsQuery, TEST_USER_PREFIX } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import { hasNoCostSql, priceParams } from "../sql/call-cost-sql.ts";
import { countedRows, EXPOSURE_ORDER } from "../sql/conditions.ts";
import { HASH, ofPartSql, type Part } from "./parts.ts";

const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** Providers' finish reasons for an answer that ran out of tokens. */
const TRUNCATED = ["length", "max_tokens", "max_output_tokens", "model_length", "incomplete"];

/** The conditions that an event is marked by, whatever arm its user is in; a later one may use the names of those before it. */
const MARKED = {
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

/** What events of a user have in common to be counted as one group, as columns of the log. */
const GROUP_COLUMNS =
  "user_id, type, variant, source, business_metric, ineligible_reason, model, requested_model";

/** What both queries of an experiment's facts need. */
export interface FactsParts {
  readonly part: Part;
  /** Whether an event may be stored twice: without copies, the log is read much faster. */
  readonly hasCopies: boolean;
}

/**
 * Builds one pass over an experiment's analysis log: a row per user and group of equal events (`readGroup` reads it). Nearly all events
 * of a user are equal in what is asked here, so the rows are few.
 */
export function eventGroupsQuery(query: FactsQuery, { part, hasCopies }: FactsParts): BoundQuery {
  const rows = countedRows(query);
  const marks = [...Object.values(MARKED), `completed AND ${hasNoCostSql(query.prices)}`].map(
    (condition, i) => `${2 ** i} * (${condition})`,
  );
  return {
    sql: `
      SELECT ${HASH} AS hash, type, variant, source, business_metric, ineligible_reason, model, requested_model, marks,
        toFloat64(count()), toFloat64(min(at)), toFloat64(max(at)),
        ifNull(sum(input_tokens), 0), ifNull(sum(least(cached_input_tokens, input_tokens)), 0)
      FROM (
        SELECT ${GROUP_COLUMNS}, input_tokens, cached_input_tokens, toUnixTimestamp64Milli(occurred_at) AS at,
          toUInt16(${marks.join(" + ")}) AS marks
        FROM analysis ${hasCopies ? "FINAL" : ""}
        WHERE ${rows.counted} AND occurred_at < fromUnixTimestamp64Milli({until: Int64}) AND ${ofPartSql(part)}
      )
      GROUP BY ${GROUP_COLUMNS}, marks`,
    params: {
      ...rows.params,
      until: query.until,
      test_prefix: TEST_USER_PREFIX,
      ...priceParams(query.prices),
    },
  };
}

/** Builds the query of the users' first exposures: equal copies of an event change none. */
export function firstExposuresQuery(query: FactsQuery, { part }: Pick<FactsParts, "part">): BoundQuery {
  const rows = countedRows(query);
  return {
    sql: `
      SELECT ${HASH} AS hash, toFloat64(toUnixTimestamp64Milli(min(occurred_at))),
        tupleElement(argMin((variant, assigned_variant, source, client), ${EXPOSURE_ORDER}) AS first, 1), first.2, first.3, first.4,
        min(variant) != max(variant)
      FROM analysis WHERE ${rows.isExposure} AND ${ofPartSql(part)} GROUP BY user_id`,
    params: { ...rows.params, until: query.until },
  };
}
