import {
  EVENT_FIELD_LIST,
  type ListedField,
  type Page,
  type UserEvent,
  type UserEventQuery,
} from "@assay/domain";
import { parseCursor, toCursor } from "../../cursor.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { ANALYSIS_COLUMNS } from "../schema/event-columns.ts";
import { aliased, expressionOf, type Fields, named, toRecord } from "./raw-events.ts";

/** Writes the expressions of an event's fields in a log. A cost stays as sent; a field that the log does not keep is null. */
function fieldsIn(hasColumn: (name: string) => boolean, isRaw: boolean): Fields<keyof UserEvent> {
  const expression = (field: ListedField) => {
    if (!hasColumn(field.name)) return "NULL";
    return field.property === "costUsd" ? field.name : expressionOf(field);
  };
  const fields = EVENT_FIELD_LIST.map((field) => [field.property, expression(field)]);
  return Object.fromEntries([...fields, ["isRaw", String(isRaw)]]);
}

const RAW = fieldsIn(() => true, true);
const ANALYZED = fieldsIn((name) => name in ANALYSIS_COLUMNS, false);

/** The place of an event in the list: its experiment and its id. */
type Position = readonly [experimentId: string, eventId: string];

const isPosition = (position: readonly unknown[]): position is Position =>
  position.length === 2 && position.every((part) => typeof part === "string");

/**
 * Lists a page of a user's events, ordered by experiment and id. The analysis log has all of them. The raw log, read for the same
 * range, has all fields of those that retention has not deleted yet. All rows of a user are on one shard.
 */
export async function listUserEvents(
  engine: EventEngine,
  { orgId, userId, limit, cursor }: UserEventQuery,
): Promise<Page<UserEvent>> {
  const [fromExperiment, fromEvent] = cursor === undefined ? ["", ""] : parseCursor(cursor, isPosition);
  const after = { from_experiment: fromExperiment, from_event: fromEvent };
  const user = { org_id: orgId, user_id: userId };
  const analyzed = await engine.rows<unknown[]>(
    `SELECT ${named(ANALYZED)} FROM (
       SELECT experiment_id, event_id, ${aliased(ANALYZED)} FROM analysis FINAL
       WHERE ${OF_USER} AND ${PLACE} > ({from_experiment: String}, {from_event: String})
       ORDER BY experiment_id, event_id LIMIT {count: UInt32}
     )`,
    { ...user, ...after, count: limit + 1 },
  );
  const page = analyzed.slice(0, limit).map((row) => toRecord<UserEvent>(ANALYZED, row));
  const last = page.at(-1);
  if (last === undefined) return { items: [], nextCursor: null };
  const raw = await engine.rows<unknown[]>(
    `SELECT ${named(RAW)} FROM (
       SELECT ${aliased(RAW)} FROM raw_events FINAL
       WHERE ${OF_USER} AND ${PLACE} > ({from_experiment: String}, {from_event: String})
         AND ${PLACE} <= ({to_experiment: String}, {to_event: String})
     )`,
    { ...user, ...after, to_experiment: last.experimentId, to_event: last.eventId },
  );
  const whole = new Map(raw.map((row) => keyed(toRecord<UserEvent>(RAW, row))));
  return {
    items: page.map((event) => whole.get(keyOf(event)) ?? event),
    nextCursor: analyzed.length > limit ? toCursor([last.experimentId, last.eventId]) : null,
  };
}

const OF_USER = "org_id = {org_id: String} AND user_id = {user_id: String}";
const PLACE = "(experiment_id, event_id)";

const keyOf = ({ experimentId, eventId }: UserEvent): string => JSON.stringify([experimentId, eventId]);
const keyed = (event: UserEvent) => [keyOf(event), event] as const;
