import type { JudgeReportStore } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Reports of processes that were killed are kept this long. */
const KEPT_MS = 3_600_000;

/** Binds the store of judge reports to a database or a transaction. */
export const judgeReportStore = (db: Kysely<Database>): JudgeReportStore => ({
  async put({ processId, fault, perMinute, reportedAt }) {
    await db
      .deleteFrom("judgeReports")
      .where("reportedAt", "<", reportedAt - KEPT_MS)
      .execute();
    const report = { fault: fault?.detail ?? null, faultSince: fault?.since ?? null, perMinute, reportedAt };
    await db
      .insertInto("judgeReports")
      .values({ processId, ...report })
      .onConflict((conflict) => conflict.column("processId").doUpdateSet(report))
      .execute();
  },

  async listSince(since) {
    const rows = await db
      .selectFrom("judgeReports")
      .select(["processId", "fault", "faultSince", "perMinute", "reportedAt"])
      .where("reportedAt", ">=", since)
      .orderBy("processId")
      .execute();
    return rows.map(({ fault, faultSince, ...row }) => ({
      ...row,
      fault: fault === null || faultSince === null ? null : { detail: fault, since: faultSince },
    }));
  },

  async remove(processId) {
    await db.deleteFrom("judgeReports").where("processId", "=", processId).execute();
  },
});
