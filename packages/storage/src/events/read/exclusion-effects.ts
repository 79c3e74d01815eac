import type { EventStore, ExclusionEffect, ExperimentEvents } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { countedRows, EXPOSURE_ORDER, IS_ELIGIBLE, OF_EXPERIMENT, unitColumn } from "../sql/conditions.ts";
import { matchSql } from "../sql/exclusions.ts";
import { parameterChunks } from "../sql/parameter-chunks.ts";

type Query = Parameters<EventStore["loadExclusionEffects"]>[0];

type EffectRow = readonly [
  arm: string,
  users: number,
  affectedUsers: number,
  removedUsers: number,
  events: number,
  removedEvents: number,
];

/** Counts what one more exclusion would remove, by the users' present arm. Users without an exposure come first. */
export async function loadExclusionEffects(
  engine: EventEngine,
  query: Query,
): Promise<readonly ExclusionEffect[]> {
  const { counted, params } = countedRows(query);
  const match = matchSql(query.match, "m");
  const unit = unitColumn(query.unit);
  const rows = await engine.rows<EffectRow>(
    `SELECT arm, sum(users), sum(affected), sum(removed), sum(events), sum(removed_events) FROM ${engine.perShard(`
       SELECT arm, countIf(arm != '') AS users, countIf(arm != '' AND user_removed_events > 0) AS affected,
         countIf(arm != arm_left) AS removed, sum(user_events) AS events, sum(user_removed_events) AS removed_events
       FROM (
         SELECT ${unit}, argMinIf(variant, ${EXPOSURE_ORDER}, is_exposure) AS arm,
           argMinIf(variant, ${EXPOSURE_ORDER}, is_exposure AND NOT matched) AS arm_left,
           count() AS user_events, countIf(matched) AS user_removed_events
         FROM (
           SELECT ${unit}, event_id, occurred_at, toString(variant) AS variant,
             ${IS_ELIGIBLE} AS is_exposure, ${match.sql} AS matched
           FROM analysis FINAL
           WHERE ${counted}
         )
         GROUP BY ${unit}
       )
       GROUP BY arm`)}
     GROUP BY arm ORDER BY arm`,
    { ...params, ...match.params },
  );
  return rows.map(([arm, users, affectedUsers, removedUsers, events, removedEvents]) => ({
    arm: arm === "" ? null : arm,
    ...{ users, affectedUsers, removedUsers, events, removedEvents },
  }));
}

/** Returns the ids of the given calls that exclusions remove completely. */
export async function listExcluded(
  engine: EventEngine,
  query: ExperimentEvents,
  calls: Parameters<EventStore["listExcluded"]>[1],
): Promise<ReadonlySet<string>> {
  const excluded = new Set<string>();
  if (query.exclusions.length === 0) return excluded;
  const { notExcluded, params } = countedRows(query);
  for (const chunk of parameterChunks(calls, ({ eventId, userId }) => [eventId, userId])) {
    const rows = await engine.rows<[string]>(
      `SELECT event_id FROM ${engine.perShard(`
         SELECT event_id FROM analysis
         WHERE ${OF_EXPERIMENT} AND user_id IN {user_ids: Array(String)} AND event_id IN {event_ids: Array(String)}
         GROUP BY event_id HAVING countIf(1${notExcluded}) = 0`)}`,
      {
        ...params,
        user_ids: chunk.map(({ userId }) => userId),
        event_ids: chunk.map(({ eventId }) => eventId),
      },
    );
    for (const [eventId] of rows) excluded.add(eventId);
  }
  return excluded;
}
