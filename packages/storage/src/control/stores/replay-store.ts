import type { ExperimentReplay, ReplayStore } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Binds the store of replays to a database or a transaction. */
export const replayStore = (db: Kysely<Database>): ReplayStore => ({
  async put(orgId, replay) {
    const body = JSON.stringify(replay);
    await db
      .insertInto("replays")
      .values({ orgId, experimentId: replay.experimentId, body })
      .onConflict((conflict) => conflict.columns(["orgId", "experimentId"]).doUpdateSet({ body }))
      .execute();
  },

  async find(orgId, experimentId) {
    const found = await db
      .selectFrom("replays")
      .select("body")
      .where("orgId", "=", orgId)
      .where("experimentId", "=", experimentId)
      .executeTakeFirst();
    return found === undefined ? null : (JSON.parse(found.body) as ExperimentReplay);
  },
});
