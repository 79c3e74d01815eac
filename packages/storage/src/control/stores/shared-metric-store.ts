import { DomainError, type SharedMetricStore } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";
import { parseStoredMetric } from "./stored-config.ts";

/** Binds the store of shared metrics to a database or a transaction. */
export const sharedMetricStore = (db: Kysely<Database>): SharedMetricStore => ({
  async list(orgId) {
    const rows = await definitions(db, orgId).orderBy("name").execute();
    return rows.map(({ definition }) => parseStoredMetric(JSON.parse(definition)));
  },

  async get(orgId, name) {
    const row = await definitions(db, orgId).where("name", "=", name).executeTakeFirst();
    if (row === undefined)
      throw new DomainError(
        "metric-not-found",
        "No shared metric with this name exists in this organization.",
      );
    return parseStoredMetric(JSON.parse(row.definition));
  },

  async put(orgId, metric) {
    const definition = JSON.stringify(metric);
    await db
      .insertInto("sharedMetrics")
      .values({ orgId, name: metric.name, definition })
      .onConflict((conflict) => conflict.columns(["orgId", "name"]).doUpdateSet({ definition }))
      .execute();
  },
});

const definitions = (db: Kysely<Database>, orgId: string) =>
  db.selectFrom("sharedMetrics").select("definition").where("orgId", "=", orgId);
