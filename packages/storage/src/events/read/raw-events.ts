import {
  EVENT_FIELD_LIST,
  type EventPreview,
  type ListedField,
  type Outcome,
  type OutcomeQuery,
  type Page,
  type RawEventFilter,
  type RawEventQuery,
  type RawEventRef,
  type RawEventSort,
  type StoredEvent,
} from "@assay/domain";
import { parseCursor, toCursor } from "../../cursor.ts";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { callCostSql, priceParams } from "../sql/call-cost-sql.ts";
import { countedRows, IS_ELIGIBLE, OF_EXPERIMENT, unitColumn } from "../sql/conditions.ts";

/** SQL expressions by the property that they fill. */
export type Fields<Property extends string = string> = Readonly<Record<Property, string>>;

/** Writes the expression of a field of `raw_events`, where '' means no value. */
export function expressionOf({ name, kind, property }: ListedField): string {
  if (property === "costUsd") return "cost";
  if (kind === "instant") return `toUnixTimestamp64Milli(${name})`;
  if (kind === "boolean") return `CAST(${name}, 'Nullable(Bool)')`;
  return isNullableText(kind) ? `nullIf(${name}, '')` : name;
}

function isNullableText(kind: ListedField["kind"]): boolean {
  return kind === "name" || kind === "reference" || kind === "text" || kind === "object";
}

const isLong = ({ kind }: ListedField) => kind === "text" || kind === "object";

function fieldsOf(fields: readonly ListedField[]): Fields {
  return Object.fromEntries(fields.map((field) => [field.property, expressionOf(field)]));
}

const WHOLE = fieldsOf(EVENT_FIELD_LIST) as Fields<keyof StoredEvent>;

const PREVIEW = {
  ...fieldsOf(EVENT_FIELD_LIST.filter((field) => !isLong(field))),
  ...Object.fromEntries(
    EVENT_FIELD_LIST.filter(({ kind }) => kind === "text").map(({ property, name }) => [
      `${property}Preview`,
      `nullIf(substringUTF8(${name}, 1, {preview_length: UInt32}), '')`,
    ]),
  ),
} as Fields<keyof EventPreview>;

/** Sort values as doubles; NULL leaves an event out. A computed cost may overflow a double. */
const SORTS: Readonly<Record<RawEventSort, string>> = {
  occurred_at: "toFloat64(toUnixTimestamp64Milli(occurred_at))",
  latency_ms: "latency_ms",
  time_to_first_token_ms: "time_to_first_token_ms",
  input_tokens: "input_tokens",
  output_tokens: "output_tokens",
  cost_usd: "if(isFinite(cost), cost, NULL)",
};

const FILTERS: Readonly<Record<keyof RawEventFilter, string>> = {
  type: "type = {type: String}",
  variant:
    "(variant = {variant: String} OR variant = '' AND type != 'exposure' AND exposed_at > 0 AND occurred_at >= exposed_at)",
  userId: "user_id = {userId: String}",
  model: "model = {model: String}",
  error: "error = {error: UInt8}",
  source: "source = {source: String}",
  keyPrefix: "key_prefix = {keyPrefix: String}",
  client: "client = {client: String}",
  thread:
    "{thread: String} IN (unit_id, run_id, JSONExtractString(metadata, 'trace_id'), JSONExtractString(metadata, 'conversation_id'))",
  text: `(${EVENT_FIELD_LIST.filter(({ kind }) => kind === "text")
    .map(({ name }) => `positionCaseInsensitiveUTF8(${name}, {text: String}) > 0`)
    .join(" OR ")})`,
};

/** End of a page: sort and direction of the list, and the last event's sort value and id. */
type Position = readonly [sort: string, direction: string, value: number, eventId: string];

/** Lists one page of an experiment's raw events. Throws `invalid-query` for a cursor from a list in another order. */
export async function listRaw(engine: EventEngine, query: RawEventQuery): Promise<Page<EventPreview>> {
  const { sort, direction, limit } = query;
  const { sql, params } = pageQuery(engine, query);
  const rows = await engine.rows<unknown[]>(sql, params);
  const items = rows.slice(0, limit).map((row) => toRecord<EventPreview>(PREVIEW, row));
  const last = items.at(-1);
  if (last === undefined || rows.length <= limit) return { items, nextCursor: null };
  const value = rows[limit - 1]?.at(-1);
  return { items, nextCursor: toCursor([sort, direction, value, last.eventId]) };
}

/**
 * Builds the query in two steps: it finds the page's keys from the columns that sort and filter, then reads the fields of
 * only these events. An event that is temporarily stored twice has one key, and its equal rows count once.
 */
function pageQuery({ perShard }: Pick<EventEngine, "perShard">, query: RawEventQuery): BoundQuery {
  const { filter, sort, direction, limit } = query;
  const order = `sort ${direction === "asc" ? "ASC" : "DESC"}, event_id ${direction === "asc" ? "ASC" : "DESC"}`;
  const conditions = (Object.keys(FILTERS) as (keyof RawEventFilter)[])
    .filter((name) => filter[name] !== undefined)
    .map((name) => ` AND ${FILTERS[name]}`);
  const after = afterCursor(query);
  const exposed = filter.variant === undefined ? { sql: "", params: {} } : exposedJoin(query);
  const keys = `
    SELECT user_id, event_id FROM (
      SELECT user_id, event_id, ${callCostSql(query.prices)} AS cost, ${SORTS[sort]} AS sort
      FROM raw_events FINAL ${exposed.sql}
      WHERE ${OF_EXPERIMENT}${conditions.join("")}
    )
    WHERE isNotNull(sort)${after.sql} ORDER BY ${order} LIMIT {count: UInt32}`;
  return {
    sql: `
      SELECT ${named(PREVIEW)}, sort FROM ${perShard(`
        SELECT event_id, ${callCostSql(query.prices)} AS cost, ${SORTS[sort]} AS sort, ${aliased(PREVIEW)} FROM raw_events
        WHERE ${OF_EXPERIMENT} AND (user_id, event_id) IN (${keys})
      `)}
      ORDER BY ${order} LIMIT 1 BY event_id LIMIT {count: UInt32}`,
    params: {
      ...{ org_id: query.orgId, experiment_id: query.experimentId },
      ...{ count: limit + 1, preview_length: query.previewLength },
      ...filter,
      ...(filter.error !== undefined && { error: Number(filter.error) }),
      ...after.params,
      ...exposed.params,
      ...priceParams(query.prices),
    },
  };
}

/** Joins the first exposure of each unit in the arm `variant`. */
function exposedJoin(query: RawEventQuery): BoundQuery {
  const { counted, params } = countedRows(query);
  const unit = unitColumn(query.unit);
  const sql = `ANY LEFT JOIN (
        SELECT ${unit}, min(occurred_at) AS exposed_at FROM analysis
        WHERE ${counted} AND ${IS_ELIGIBLE} AND ${unit} != ''
        GROUP BY ${unit} HAVING min(variant) = {variant: String} AND max(variant) = {variant: String}
      ) AS exposed USING ${unit}`;
  return { sql, params };
}

function afterCursor({ cursor, sort, direction }: RawEventQuery): BoundQuery {
  if (cursor === undefined) return { sql: "", params: {} };
  const isOfThisList = (position: readonly unknown[]): position is Position =>
    position[0] === sort &&
    position[1] === direction &&
    Number.isFinite(position[2]) &&
    typeof position[3] === "string";
  const [, , value, id] = parseCursor(cursor, isOfThisList);
  // As bits: the engine may get the last bit wrong when it parses a double from digits.
  const sql = ` AND (assumeNotNull(sort), event_id) ${direction === "asc" ? ">" : "<"}
      (reinterpretAsFloat64({after_bits: UInt64}), {after_id: String})`;
  return { sql, params: { after_bits: String(bitsOf(value)), after_id: id } };
}

function bitsOf(value: number): bigint {
  return new BigUint64Array(Float64Array.of(value).buffer)[0] ?? 0n;
}

/** Finds one raw event. FINAL is not needed, because duplicates of an event are equal. */
export async function findRaw(
  engine: EventEngine,
  { orgId, experimentId, eventId, prices }: RawEventRef,
): Promise<StoredEvent | null> {
  const [row] = await engine.rows<unknown[]>(
    `SELECT ${named(WHOLE)} FROM (
       SELECT ${callCostSql(prices)} AS cost, ${aliased(WHOLE)} FROM raw_events
       WHERE ${OF_EXPERIMENT} AND event_id = {event_id: String} LIMIT 1
     )`,
    { org_id: orgId, experiment_id: experimentId, event_id: eventId, ...priceParams(prices) },
  );
  return row === undefined ? null : toRecord<StoredEvent>(WHOLE, row);
}

/** Lists a user's business events from the analysis log, which outlives the raw events. */
export async function listOutcomes(
  engine: EventEngine,
  { orgId, experimentId, userId, limit }: OutcomeQuery,
): Promise<readonly Outcome[]> {
  const rows = await engine.rows<[string, number, number]>(
    `SELECT business_metric, value, toUnixTimestamp64Milli(occurred_at) FROM analysis FINAL
     WHERE ${OF_EXPERIMENT} AND user_id = {user_id: String} AND type = 'business_event' AND isNotNull(value)
     ORDER BY occurred_at DESC, event_id DESC LIMIT {count: UInt32}`,
    { org_id: orgId, experiment_id: experimentId, user_id: userId, count: limit },
  );
  return rows.map(([businessMetric, value, occurredAt]) => ({ businessMetric, value, occurredAt }));
}

/** Lists the aliases f0, f1, …: an alias that equals a column's name would replace the column in the rest of the query. */
export function named(fields: Fields): string {
  return Object.keys(fields)
    .map((_, i) => `f${i}`)
    .join(", ");
}

/** Writes the expressions with these aliases. */
export function aliased(fields: Fields): string {
  return Object.values(fields)
    .map((sql, i) => `${sql} AS f${i}`)
    .join(", ");
}

/** Builds a record from a row whose first values are the fields, in order. */
export function toRecord<T>(fields: Readonly<Record<keyof T & string, string>>, row: readonly unknown[]): T {
  return Object.fromEntries(Object.keys(fields).map((name, i) => [name, row[i]])) as T;
}
