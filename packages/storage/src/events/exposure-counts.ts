import type { Day, ExposureCount } from "@assay/domain";
import type { EngineClient } from "./engine-client.ts";
import { EXPOSURE_ORDER } from "./exposure-sql.ts";

type CountRow = readonly [experimentId: string, arm: string, users: number, exposures: number, lastOn: Day];

/**
 * Counts exposed users of an org's experiments, or of one. Users are grouped in the order of the table, so that memory does
 * not grow with them; a user's few event ids are told apart, which is cheaper than to merge all rows (FINAL).
 */
export async function countExposures(
  engine: EngineClient,
  orgId: string,
  experimentId: string | undefined,
): Promise<readonly ExposureCount[]> {
  const ofOne = experimentId === undefined ? "" : "AND experiment_id = {experiment_id: String}";
  const rows = await engine.rows<CountRow>(
    `SELECT experiment_id, arm, count(), sum(exposures), toDate(max(last_at)) FROM (
       SELECT experiment_id, argMin(variant, ${EXPOSURE_ORDER}) AS arm, uniqExact(event_id) AS exposures,
         max(occurred_at) AS last_at
       FROM analysis
       WHERE org_id = {org_id: String} ${ofOne} AND type = 'exposure' AND variant != ''
       GROUP BY org_id, experiment_id, user_id
     )
     GROUP BY experiment_id, arm ORDER BY experiment_id, arm`,
    { org_id: orgId, ...(experimentId === undefined ? {} : { experiment_id: experimentId }) },
    { optimize_aggregation_in_order: 1 },
  );
  return rows.map(([experimentId, arm, users, exposures, lastOn]) => ({
    experimentId,
    arm,
    users,
    exposures,
    lastOn,
  }));
}
