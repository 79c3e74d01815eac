import type { AuditEntry, AuditStore, JsonObject } from "@assay/domain";
import type { Kysely, Selectable } from "kysely";
import { mapPage, readPage } from "../query/keyset-page.ts";
import type { Database } from "../schema/schema.ts";

/** Binds the audit store to a database or a transaction. */
export const auditStore = (db: Kysely<Database>): AuditStore => ({
  async record({ actor, diff, ...entry }) {
    await db
      .insertInto("auditEntries")
      .values({
        id: entry.id,
        orgId: entry.orgId,
        at: entry.at,
        actorId: actor.id,
        actorName: actor.name,
        actorEmail: actor.email,
        action: entry.action,
        targetType: entry.targetType,
        targetId: entry.targetId,
        summary: entry.summary,
        diff: diff === null ? null : JSON.stringify(diff),
      })
      .execute();
  },

  async list(orgId, { targetId, ...page }) {
    let query = db.selectFrom("auditEntries").selectAll().where("orgId", "=", orgId);
    if (targetId !== undefined) query = query.where("targetId", "=", targetId);
    const order = { at: "at", id: "id", positionOf: (row: EntryRow) => row };
    return mapPage(await readPage(query, order, page), toEntry);
  },

  async listTimes(orgId, { action, targetId, since }) {
    const entries = await db
      .selectFrom("auditEntries")
      .select("at")
      .where("orgId", "=", orgId)
      .where("targetId", "=", targetId)
      .where("action", "=", action)
      .where("at", ">=", since)
      .orderBy("at")
      .execute();
    return entries.map(({ at }) => at);
  },
});

type EntryRow = Selectable<Database["auditEntries"]>;

function toEntry(row: EntryRow): AuditEntry {
  const { actorId, actorName, actorEmail, diff, ...entry } = row;
  return {
    ...entry,
    actor: { id: actorId, name: actorName, email: actorEmail },
    diff: diff === null ? null : (JSON.parse(diff) as JsonObject),
  };
}
