import type { RehearsalStore, RehearsedRow } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Binds the store of experiments that come from rehearsals. */
export const rehearsedExperiments = (
  db: Kysely<Database>,
): Pick<RehearsalStore, "putExperiment" | "listExperiments"> => ({
  async putExperiment(orgId, { rows, ...experiment }) {
    await db
      .insertInto("rehearsalExperiments")
      .values({ orgId, ...experiment, rows: JSON.stringify(rows) })
      .execute();
  },

  async listExperiments(orgId, limit) {
    const stored = await db
      .selectFrom("rehearsalExperiments")
      .select(["experimentId", "rehearsalId", "rows", "startedAt", "startedBy", "startedByName"])
      .where("orgId", "=", orgId)
      .orderBy("startedAt", "desc")
      .orderBy("experimentId", "desc")
      .limit(limit)
      .execute();
    return stored.map(({ rows, ...one }) => ({ ...one, rows: JSON.parse(rows) as readonly RehearsedRow[] }));
  },
});
