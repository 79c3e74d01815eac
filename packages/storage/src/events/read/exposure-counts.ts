import type { Day, ExposureCount } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { IS_ELIGIBLE } from "../sql/conditions.ts";

type CountRow = readonly [
  experimentId: string,
  variant: string,
  users: number,
  exposures: number,
  lastOn: Day,
];

/**
 * Counts exposed users of an org's experiments, or of one. The list of all experiments waits for it: 0.7 s for 2 million
 * exposures on two busy cores. Finding each user's first exposure, as the SRM gate does, took three times as long.
 */
export async function countExposures(
  engine: EventEngine,
  orgId: string,
  experimentId: string | undefined,
): Promise<readonly ExposureCount[]> {
  const ofOne = experimentId === undefined ? "" : "AND experiment_id = {experimentId: String}";
  const rows = await engine.rows<CountRow>(
    `SELECT experiment_id, variant, sum(users), sum(exposures), toDate(max(last_at)) FROM ${engine.perShard(`
       SELECT experiment_id, variant, uniqExact(user_id) AS users, count() AS exposures, max(occurred_at) AS last_at
       FROM analysis FINAL
       WHERE org_id = {orgId: String} ${ofOne} AND ${IS_ELIGIBLE}
       GROUP BY experiment_id, variant`)}
     GROUP BY experiment_id, variant ORDER BY experiment_id, variant`,
    { orgId, ...(experimentId === undefined ? {} : { experimentId }) },
  );
  return rows.map(([experimentId, variant, users, exposures, lastOn]) => ({
    experimentId,
    variant,
    users,
    exposures,
    lastOn,
  }));
}
