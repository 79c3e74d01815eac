import { MODEL_CALL_FIELDS } from "@assay/domain";
import { type Columns, TYPES } from "../schema/event-columns.ts";
import { IS_COUNTED_BY_TOKENS, PRICED_TOKENS } from "../sql/call-cost-sql.ts";
import { EVENT_KEY } from "../sql/conditions.ts";
import type { SelectedEvents } from "../sql/selected-events.ts";

/**
 * The event values that a cell sums, by name. Calls that report no cost contribute their tokens instead, so that a corrected price
 * changes no cell.
 */
const VALUES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(MODEL_CALL_FIELDS.map((field) => [field, `toFloat64(${field})`])),
  value: "value",
  ...Object.fromEntries(
    Object.entries(PRICED_TOKENS).map(([name, tokens]) => [
      name,
      `if(${IS_COUNTED_BY_TOKENS}, ${tokens}, NULL)`,
    ]),
  ),
};

/** The columns that separate the cells of a unit and day: those that a metric's source, `accept_from` and prices need. */
const KINDS: Columns = {
  type: TYPES.type,
  business_metric: TYPES.name,
  source: TYPES.name,
  model: TYPES.name,
  service_tier: TYPES.name,
};

/**
 * Columns of `unit_days`. A row is a cell: the sums over a unit's outcomes of one UTC day and kind, in all experiments of the org.
 * A unit is what is assigned and analyzed: today the user. `unit_key` is `unitKeySql`. `fold` is the computation of the day that
 * wrote the row.
 */
export const UNIT_DAY_COLUMNS: Columns = {
  org_id: "String",
  day: "Date",
  fold: "UInt64",
  unit_id: "String",
  unit_key: "UInt64",
  ...KINDS,
  ...Object.fromEntries(
    Object.keys(VALUES).flatMap((name) => [
      [`${name}_sum`, "Float64"],
      [`${name}_count`, "UInt32"],
    ]),
  ),
};

/** Writes the number that joins cells with their units' exposures. Joining by id would take twice as long. */
export function unitKeySql(id: string): string {
  return `cityHash64(${id})`;
}

/**
 * Writes the cells of the org's outcomes that `where` selects from a log. Values are sorted before they are added, so the same events
 * give the same bits in any order: a stored cell equals a recomputed one. With `onceEach`, copies of a redelivered event count once,
 * which doubles the time. Without `byTokens`, no call's cost is computed from its tokens, so the sums of tokens, half of all sums, are
 * 0 instead of being computed.
 */
export function cellsSql({
  table,
  where,
  onceEach,
  byTokens,
}: {
  readonly table: SelectedEvents["table"];
  readonly where: string;
  readonly onceEach: boolean;
  readonly byTokens: boolean;
}): string {
  const kinds = `day, unit_id, ${Object.keys(KINDS).join(", ")}`;
  const sums = Object.entries(VALUES).map(([name, value]) =>
    !byTokens && Object.hasOwn(PRICED_TOKENS, name)
      ? `, toFloat64(0) AS ${name}_sum, toUInt32(0) AS ${name}_count`
      : `,
      arraySum(arraySort(groupArray(${value}) AS ${name}_values)) AS ${name}_sum, toUInt32(length(${name}_values)) AS ${name}_count`,
  );
  return `
    SELECT ${kinds}, ${unitKeySql("unit_id")} AS unit_key ${sums.join("")}
    FROM (
      SELECT *, toDate(occurred_at) AS day, user_id AS unit_id FROM ${table}
      WHERE org_id = {org_id: String} AND type != 'exposure' AND ${where}
      ${onceEach ? `LIMIT 1 BY user_id, ${EVENT_KEY}` : ""}
    )
    GROUP BY ${kinds}`;
}

/** True for up-to-date cells of `unit_days`; `foldedParams` binds the parameters. Searching for pairs would take three times as long. */
export const FOLDED_CELLS = `org_id = {org_id: String}
  AND transform(day, {folded_days: Array(Date)}, {folds: Array(UInt64)}, toUInt64(0)) = fold`;

/** The days of an org whose cells are up to date, with the fold of each. */
export interface FoldedDays {
  readonly days: readonly string[];
  readonly folds: readonly bigint[];
}

/** Returns the parameters of `FOLDED_CELLS`, apart from the org. */
export function foldedParams({ days, folds }: FoldedDays): Record<string, unknown> {
  return { folded_days: days, folds };
}
