import { type Alert, type AlertMessage, type AlertStore, experimentOf } from "@assay/domain";
import type { Kysely } from "kysely";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";
import { takes } from "./alert-channel-store.ts";

/** Binds the store of raised facts to a database or a transaction. `newId` creates the ids of facts and deliveries. */
export const alertStore = (db: Kysely<Database>, newId: () => string): AlertStore => ({
  raise: (alert) => inTransaction(db, (tx) => raise(tx, alert, newId)),

  async end({ orgId, type, key, at }) {
    await db
      .updateTable("alerts")
      .set({ endedAt: at })
      .where("orgId", "=", orgId)
      .where("type", "=", type)
      .where("key", "=", key)
      .where("endedAt", "is", null)
      .execute();
  },

  async endAll(type, at) {
    await db
      .updateTable("alerts")
      .set({ endedAt: at })
      .where("type", "=", type)
      .where("endedAt", "is", null)
      .execute();
  },

  listOpen: (orgId, experimentId) =>
    db
      .selectFrom("alerts")
      .select(["type", "key"])
      .where("orgId", "=", orgId)
      .where("experimentId", "=", experimentId)
      .where("endedAt", "is", null)
      .orderBy("type")
      .orderBy("key")
      .execute(),

  async expire(before) {
    await db
      .deleteFrom("alertDeliveries")
      .where("createdAt", "<", before)
      .where("status", "!=", "waiting")
      .execute();
    await db.deleteFrom("alerts").where("endedAt", "<", before).execute();
  },

  removeOfDeletedOrgs: () =>
    inTransaction(db, async (tx) => {
      const deleted = tx.selectFrom("orgs").select("id").where("isDeleted", "=", 1);
      await tx.deleteFrom("alerts").where("orgId", "in", deleted).execute();
      const { numDeletedRows } = await tx
        .deleteFrom("alertChannels")
        .where("orgId", "in", deleted)
        .executeTakeFirst();
      return Number(numDeletedRows);
    }),
});

async function raise(tx: Kysely<Database>, alert: Alert, newId: () => string): Promise<boolean> {
  const { orgId, type, key, at, data } = alert;
  const channels = await tx
    .selectFrom("alertChannels")
    .select(["id", "types"])
    .where("orgId", "=", orgId)
    .where("isOn", "=", 1)
    .orderBy("id")
    .execute();
  const takers = channels.filter(({ types }) => takes(types, type));
  if (takers.length === 0) return false;
  const fact = {
    ...{ id: newId(), orgId, type, key, raisedAt: at, endedAt: null },
    experimentId: experimentOf(alert)?.id ?? null,
  };
  const raised = await tx
    .insertInto("alerts")
    .values(fact)
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  if (raised === undefined) return false;
  const message = JSON.stringify({ type, at, data } as AlertMessage);
  const deliveries = takers.map(({ id: channelId }) => ({
    ...{ id: newId(), orgId, channelId, message, createdAt: at, status: "waiting" as const },
    ...{ attempts: 0, firstAt: null, lastAt: null, nextAt: at, code: null, answer: null },
  }));
  await tx.insertInto("alertDeliveries").values(deliveries).execute();
  return true;
}
