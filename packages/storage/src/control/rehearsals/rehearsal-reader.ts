import { REHEARSAL_REQUESTS, type RehearsalStore } from "@assay/domain";
import { type Kysely, sql } from "kysely";
import type { Database } from "../schema/schema.ts";

type RehearsalReader = Pick<RehearsalStore, "progress" | "listInputs" | "listRecords" | "listTexts">;

const RECORD_COLUMNS = [
  "place",
  "kind",
  "arm",
  "repeat",
  "first",
  "state",
  "length",
  "preference",
  "score",
  "latencyMs",
  "inputTokens",
  "outputTokens",
  "costUsd",
] as const;

/** Binds what reads rehearsals' requests to a database or a transaction. */
export const rehearsalReader = (db: Kysely<Database>): RehearsalReader => ({
  async progress(orgId, id) {
    const { finished } = await db
      .selectFrom("rehearsalInputs")
      .select(sql<number>`count(finished_at)`.as("finished"))
      .where("orgId", "=", orgId)
      .where("rehearsalId", "=", id)
      .executeTakeFirstOrThrow();
    const rows = await db
      .selectFrom("rehearsalRequests")
      .select(["kind", "state", sql<number>`count(*)`.as("count")])
      .select(sql<number>`coalesce(sum(cost_usd), 0)`.as("costUsd"))
      .where("orgId", "=", orgId)
      .where("rehearsalId", "=", id)
      .groupBy(["kind", "state"])
      .execute();
    const counts = REHEARSAL_REQUESTS.map((kind) => {
      const own = rows.filter((row) => row.kind === kind);
      const count = (state: string) => own.find((row) => row.state === state)?.count ?? 0;
      const costUsd = own.reduce((sum, row) => sum + row.costUsd, 0);
      return { kind, pending: count("pending"), done: count("done"), failed: count("failed"), costUsd };
    });
    return { finishedInputs: finished, counts };
  },

  listInputs: (orgId, id, { after, limit }) =>
    db
      .selectFrom("rehearsalInputs")
      .select(["place", "itemId", "position", "userId", "probability", "characters"])
      .where("orgId", "=", orgId)
      .where("rehearsalId", "=", id)
      .where("place", ">", after)
      .orderBy("place")
      .limit(limit)
      .execute(),

  async listRecords(orgId, id, { after, through }) {
    const rows = await settled(db, orgId, id)
      .select(RECORD_COLUMNS)
      .where("place", ">", after)
      .where("place", "<=", through)
      .execute();
    return rows.map((row) => ({ ...row, state: row.state as "done" | "failed" }));
  },

  async listTexts(orgId, id, place) {
    const rows = await settled(db, orgId, id)
      .select([...RECORD_COLUMNS, "text", "reason", "cause", "detail"])
      .where("place", "=", place)
      .execute();
    return rows.map((row) => ({ ...row, state: row.state as "done" | "failed" }));
  },
});

const settled = (db: Kysely<Database>, orgId: string, id: string) =>
  db
    .selectFrom("rehearsalRequests")
    .where("orgId", "=", orgId)
    .where("rehearsalId", "=", id)
    .where("state", "!=", "pending")
    .orderBy("place")
    .orderBy("step");
