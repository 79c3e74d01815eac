import type { FirstExposure, FirstExposureQuery } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { countedRows, EXPOSURE_ORDER } from "../sql/conditions.ts";
import { parameterChunks } from "../sql/parameter-chunks.ts";

type ExposureRow = readonly [userId: string, arm: string, period: number, at: number, isContaminated: 0 | 1];

/** Loads users' first exposures as analyses see them, in no order. */
export async function loadFirstExposures(
  engine: EventEngine,
  { until, periodStarts, userIds, ...query }: FirstExposureQuery,
): Promise<readonly FirstExposure[]> {
  const { isExposure, params } = countedRows(query);
  const found: FirstExposure[] = [];
  for (const chunk of parameterChunks(userIds, (id) => [id])) {
    const rows = await engine.rows<ExposureRow>(
      `SELECT * FROM ${engine.perShard(`
         SELECT user_id, argMin(variant, ${EXPOSURE_ORDER}) AS arm,
           arrayCount(start -> start <= at, {period_starts: Array(Int64)}) AS period,
           toUnixTimestamp64Milli(min(occurred_at)) AS at, min(variant) != max(variant) AS is_contaminated
         FROM analysis WHERE ${isExposure} AND user_id IN {user_ids: Array(String)}
         GROUP BY user_id`)}`,
      { ...params, until, period_starts: periodStarts, user_ids: chunk },
    );
    for (const [userId, arm, period, at, isContaminated] of rows)
      found.push({ userId, arm, period, at, isContaminated: isContaminated === 1 });
  }
  return found;
}
