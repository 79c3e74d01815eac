import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Binds a store of the newest document about each experiment to a database or a transaction. */
export function newestStore<Document extends { readonly experimentId: string }>(
  db: Kysely<Database>,
  table: "replays" | "guardLooks" | "holdbackReports",
) {
  return {
    async put(orgId: string, document: Document): Promise<void> {
      const body = JSON.stringify(document);
      await db
        .insertInto(table)
        .values({ orgId, experimentId: document.experimentId, body })
        .onConflict((conflict) => conflict.columns(["orgId", "experimentId"]).doUpdateSet({ body }))
        .execute();
    },
    async find(orgId: string, experimentId: string): Promise<Document | null> {
      const found = await db
        .selectFrom(table)
        .select("body")
        .where("orgId", "=", orgId)
        .where("experimentId", "=", experimentId)
        .executeTakeFirst();
      return found === undefined ? null : (JSON.parse(found.body) as Document);
    },
  };
}
