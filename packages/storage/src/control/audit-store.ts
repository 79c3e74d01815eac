import { type AuditEntry, type AuditStore, DomainError, type JsonObject } from "@assay/domain";
import type { Kysely, Selectable } from "kysely";
import type { Database } from "./schema.ts";

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

  async list(orgId, { targetId, limit, cursor }) {
    let query = db.selectFrom("auditEntries").selectAll().where("orgId", "=", orgId);
    if (targetId !== undefined) query = query.where("targetId", "=", targetId);
    if (cursor !== undefined) {
      const last = parseCursor(cursor);
      query = query.where((eb) => eb(eb.refTuple("at", "id"), "<", eb.tuple(last.at, last.id)));
    }
    const rows = await query
      .orderBy("at", "desc")
      .orderBy("id", "desc")
      .limit(limit + 1)
      .execute();
    const items = rows.slice(0, limit).map(toEntry);
    const last = items.at(-1);
    return { items, nextCursor: last && rows.length > limit ? toCursor(last) : null };
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

function toEntry(row: Selectable<Database["auditEntries"]>): AuditEntry {
  const { actorId, actorName, actorEmail, diff, ...entry } = row;
  return {
    ...entry,
    actor: { id: actorId, name: actorName, email: actorEmail },
    diff: diff === null ? null : (JSON.parse(diff) as JsonObject),
  };
}

const toCursor = ({ at, id }: AuditEntry): string =>
  Buffer.from(JSON.stringify([at, id])).toString("base64url");

function parseCursor(cursor: string): { at: number; id: string } {
  const [at, id] = decodeCursor(cursor);
  if (!Number.isSafeInteger(at) || typeof id !== "string" || id.includes("\0")) {
    throw new DomainError("invalid-query", "The cursor is not one that this list gave.");
  }
  return { at: at as number, id };
}

function decodeCursor(cursor: string): readonly unknown[] {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(decoded) ? decoded : [];
  } catch {
    return [];
  }
}
