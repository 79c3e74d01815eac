import type { FirstExposure, FirstExposureQuery } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { countedRows, EXPOSURE_ORDER, unitColumn } from "../sql/conditions.ts";
import { parameterChunks } from "../sql/parameter-chunks.ts";

type ExposureRow = readonly [
  unitId: string,
  arm: string,
  period: number,
  at: number,
  isContaminated: 0 | 1,
  userId: string,
];

/** Loads the first exposures of users or other units, as analyses see them. The order is undefined. */
export async function loadFirstExposures(
  engine: EventEngine,
  { until, periodStarts, userIds, ...query }: FirstExposureQuery,
): Promise<readonly FirstExposure[]> {
  const { isExposure, params } = countedRows(query);
  const unit = unitColumn(query.unit);
  const found: FirstExposure[] = [];
  const users = new Map<string, number>();
  for (const chunk of parameterChunks(userIds, (id) => [id])) {
    const rows = await engine.rows<ExposureRow>(
      `SELECT * FROM ${engine.perShard(`
         SELECT ${unit}, argMin(variant, ${EXPOSURE_ORDER}) AS arm,
           arrayCount(start -> start <= at, {period_starts: Array(Int64)}) AS period,
           toUnixTimestamp64Milli(min(occurred_at)) AS at, min(variant) != max(variant) AS is_contaminated,
           argMin(user_id, ${EXPOSURE_ORDER}) AS user
         FROM analysis WHERE ${isExposure} AND ${unit} IN {unit_ids: Array(String)}
         GROUP BY ${unit}`)}`,
      { ...params, until, period_starts: periodStarts, unit_ids: chunk },
    );
    for (const [unitId, arm, period, at, isContaminated, userId] of rows) {
      if (!users.has(userId)) users.set(userId, users.size);
      const cluster = query.unit === "user" ? {} : { cluster: users.get(userId)! };
      found.push({ userId: unitId, arm, period, at, isContaminated: isContaminated === 1, ...cluster });
    }
  }
  return found;
}
