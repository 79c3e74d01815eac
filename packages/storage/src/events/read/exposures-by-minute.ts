import type { EventStore, MinuteOfExposures } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { countedRows } from "../sql/conditions.ts";

type Query = Parameters<EventStore["exposuresByMinute"]>[0];

const MINUTE_MS = 60_000;

/** Counts distinct ids instead of using FINAL, because an event can temporarily be stored twice. */
export async function loadExposuresByMinute(
  engine: EventEngine,
  { from, until, ...query }: Query,
): Promise<readonly MinuteOfExposures[]> {
  const { isExposure, params } = countedRows(query);
  const rows = await engine.rows<[number, string, number]>(
    `SELECT at, variant, sum(exposures) FROM ${engine.perShard(`
       SELECT intDiv(toUnixTimestamp64Milli(occurred_at), ${MINUTE_MS}) * ${MINUTE_MS} AS at, variant,
         uniqExact(event_id) AS exposures
       FROM analysis
       WHERE ${isExposure} AND occurred_at >= fromUnixTimestamp64Milli({from: Int64})
       GROUP BY at, variant`)}
     GROUP BY at, variant ORDER BY at, variant`,
    { ...params, from, until },
  );
  return rows.map(([at, variant, exposures]) => ({ at, variant, exposures }));
}
