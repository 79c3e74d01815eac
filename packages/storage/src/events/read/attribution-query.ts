import type {
  AttributionFacts,
  AttributionQuery,
  EventSource,
  ExposedUsers,
  IneligibleReason,
  OutcomeSource,
} from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { type CountedRows, countedRows, EVENT_KEY, EXPOSURE_ORDER } from "../sql/conditions.ts";

const MAX_ROWS = 200;

type ExposedRow = readonly [variant: string, assigned: string, source: string, client: string, users: number];
type IneligibleRow = readonly [
  reason: IneligibleReason,
  variant: string,
  users: number,
  exposures: number,
  since: number,
];
type OutcomeRow = readonly [
  type: OutcomeSource["type"],
  businessMetric: string,
  source: string,
  events: number,
  users: number,
  usersBeforeExposure: number,
  usersWithoutExposure: number,
];

/** Loads how an experiment's events came and whom they count for. A sender's names are bounded: the most used are listed. */
export async function loadAttribution(
  engine: EventEngine,
  query: AttributionQuery,
): Promise<AttributionFacts> {
  const rows = countedRows(query);
  const params = { ...rows.params, until: query.until, max_rows: MAX_ROWS };
  const exposed = await engine.rows<ExposedRow>(exposedSql(engine, rows), params);
  const ineligible = await engine.rows<IneligibleRow>(ineligibleSql(engine, rows), params);
  const outcomes = await engine.rows<OutcomeRow>(outcomesSql(engine, rows), params, {
    join_algorithm: "hash",
  });
  const [superseded] = await engine.rows<[number]>(
    `SELECT uniqExact(event_id) FROM superseded_ids
     WHERE org_id = {org_id: String} AND experiment_id = {experiment_id: String}`,
    params,
  );
  return {
    firstExposures: exposed.map(([variant, assigned, source, client, users]): ExposedUsers => {
      return {
        variant,
        assignedVariant: assigned || null,
        source: sourceOf(source),
        client: client || null,
        users,
      };
    }),
    ineligible: ineligible.map(([reason, variant, users, exposures, since]) => {
      return { reason, variant: variant || null, users, exposures, since };
    }),
    outcomes: outcomes.map(([type, businessMetric, source, events, users, before, without]) => ({
      ...{ type, businessMetric: businessMetric || null, source: sourceOf(source) },
      ...{ events, users, usersBeforeExposure: before, usersWithoutExposure: without },
    })),
    supersededIds: superseded?.[0] ?? 0,
  };
}

function sourceOf(source: string): EventSource | null {
  return source === "" ? null : (source as EventSource);
}

function exposedSql({ perShard }: Pick<EventEngine, "perShard">, { isExposure }: CountedRows): string {
  return `
    SELECT variant, assigned, source, client, sum(users) AS users FROM ${perShard(`
      SELECT first.1 AS variant, first.2 AS assigned, first.3 AS source, first.4 AS client, count() AS users
      FROM (
        SELECT user_id, argMin((variant, assigned_variant, source, client), ${EXPOSURE_ORDER}) AS first
        FROM analysis WHERE ${isExposure} GROUP BY user_id
      )
      GROUP BY variant, assigned, source, client`)}
    GROUP BY variant, assigned, source, client
    ORDER BY users DESC, variant, assigned, source, client LIMIT {max_rows: UInt32}`;
}

function ineligibleSql({ perShard }: Pick<EventEngine, "perShard">, { counted }: CountedRows): string {
  return `
    SELECT ineligible_reason, variant, sum(users), sum(exposures), min(since) FROM ${perShard(`
      SELECT ineligible_reason, variant, uniqExact(user_id) AS users, uniqExact(event_id) AS exposures,
        toUnixTimestamp64Milli(min(occurred_at)) AS since
      FROM analysis
      WHERE ${counted} AND type = 'exposure' AND ineligible_reason != ''
        AND occurred_at < fromUnixTimestamp64Milli({until: Int64})
      GROUP BY ineligible_reason, variant`)}
    GROUP BY ineligible_reason, variant ORDER BY ineligible_reason, variant`;
}

function outcomesSql(
  { perShard }: Pick<EventEngine, "perShard">,
  { counted, isExposure }: CountedRows,
): string {
  return `
    SELECT type, business_metric, source, sum(events) AS events, sum(users), sum(early_users),
      sum(unexposed_users) FROM ${perShard(`
      SELECT type, business_metric, source, sum(own_events) AS events, count() AS users,
        countIf(last_at < t0 AND t0 > 0) AS early_users, countIf(t0 = 0) AS unexposed_users
      FROM (
        SELECT type, business_metric, source, user_id, length(arrayDistinct(groupArray(${EVENT_KEY}))) AS own_events,
          toUnixTimestamp64Milli(max(occurred_at)) AS last_at
        FROM analysis
        WHERE ${counted} AND type != 'exposure' AND occurred_at < fromUnixTimestamp64Milli({until: Int64})
        GROUP BY type, business_metric, source, user_id
      ) AS outcomes
      LEFT JOIN (
        SELECT user_id, toUnixTimestamp64Milli(min(occurred_at)) AS t0
        FROM analysis WHERE ${isExposure} GROUP BY user_id
      ) AS exposed USING (user_id)
      GROUP BY type, business_metric, source`)}
    GROUP BY type, business_metric, source
    ORDER BY events DESC, type, business_metric, source LIMIT {max_rows: UInt32}`;
}
