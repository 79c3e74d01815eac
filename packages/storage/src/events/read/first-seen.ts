import type { FirstSeenQuery } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { OF_EXPERIMENT } from "../sql/conditions.ts";
import { parameterChunks } from "../sql/parameter-chunks.ts";

/** Returns when each user's first event of an experiment occurred: events of every type, even those that do not count. */
export async function loadFirstSeen(
  engine: EventEngine,
  { orgId, experimentId, userIds, until }: FirstSeenQuery,
): Promise<ReadonlyMap<string, number>> {
  const firstAt = new Map<string, number>();
  for (const chunk of parameterChunks(userIds, (id) => [id])) {
    const rows = await engine.rows<[userId: string, at: number]>(
      `SELECT user_id, min(at) FROM ${engine.perShard(`
         SELECT user_id, toUnixTimestamp64Milli(min(occurred_at)) AS at FROM analysis
         WHERE ${OF_EXPERIMENT} AND user_id IN {user_ids: Array(String)}
           AND occurred_at < fromUnixTimestamp64Milli({until: Int64})
         GROUP BY user_id`)}
       GROUP BY user_id`,
      { org_id: orgId, experiment_id: experimentId, until, user_ids: chunk },
    );
    for (const [userId, at] of rows) firstAt.set(userId, at);
  }
  return firstAt;
}
