import { MODEL_CALL_FIELDS } from "@assay/domain";
import { type Columns, TYPES } from "../schema/event-columns.ts";
import { IS_COUNTED_BY_TOKENS, PRICED_TOKENS } from "../sql/call-cost-sql.ts";
import { EVENT_KEY } from "../sql/conditions.ts";
import type { SelectedEvents } from "../sql/selected-events.ts";

/**
 * The values of an event that a cell sums, by name. Calls that do not report their cost have their tokens, so that a price that is
 * corrected changes no cell.
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

/** What tells the cells of a unit and day apart: what a metric's source, its `accept_from` and a price ask for. */
const KINDS: Columns = {
  type: TYPES.type,
  business_metric: TYPES.name,
  source: TYPES.name,
  model: TYPES.name,
  service_tier: TYPES.name,
};

/**
 * Columns of `unit_days`: a row is a cell, the sums over a unit's outcomes of one UTC day and kind, in all experiments of the org.
 * A unit is what is assigned and analyzed: today the user. `unit_key` is `unitKeySql`. `fold` says which computation of the day the row
 * belongs to.
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

/** Writes the number by which cells are joined with their units' exposures: half of the time that the ids would take. */
export function unitKeySql(id: string): string {
  return `cityHash64(${id})`;
}

/**
 * Writes the cells of the org's outcomes that `where` selects, from a log. The same events give the same bits in whatever order they
 * are read, because values are sorted before they are added: so a cell that was stored and one that is computed anew are equal. With
 * `onceEach`, copies of an event that was delivered again count once, which takes as long as all the rest. Without `byTokens`, no call's cost is
 * told by its tokens, and the half of the sums that are of tokens is not computed, but 0.
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

/** True for the cells of `unit_days` that are up to date; `foldedParams` binds them. To look for pairs would take three times as long. */
export const FOLDED_CELLS = `org_id = {org_id: String}
  AND transform(day, {folded_days: Array(Date)}, {folds: Array(UInt64)}, toUInt64(0)) = fold`;

/** The days of an org whose cells are up to date, and the fold of each. */
export interface FoldedDays {
  readonly days: readonly string[];
  readonly folds: readonly bigint[];
}

/** Returns the parameters of `FOLDED_CELLS`, apart from the org. */
export function foldedParams({ days, folds }: FoldedDays): Record<string, unknown> {
  return { folded_days: days, folds };
}
