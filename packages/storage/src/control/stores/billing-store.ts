import type { BillingStore, SubscriptionSnapshot } from "@assay/domain";
import type { Kysely } from "kysely";
import { dialectOf } from "../dialect/dialect.ts";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";

const COLUMNS = ["id", "type", "createdAt", "customerId", "orgId", "subscription"] as const;

/** Binds the store of billing events to a database or a transaction. */
export const billingStore = (db: Kysely<Database>): BillingStore => ({
  record: ({ id, type, createdAt, customerId, orgId, subscription }) =>
    inTransaction(db, async (tx) => {
      await dialectOf(tx).lockTable(tx, "billingEvents");
      const stored = await tx
        .insertInto("billingEvents")
        .values({
          id,
          type,
          createdAt,
          customerId,
          orgId,
          subscription: subscription === null ? null : JSON.stringify(subscription),
        })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .returning("id")
        .executeTakeFirst();
      return stored !== undefined;
    }),

  async findOrgId(customerId) {
    const newest = await db
      .selectFrom("billingEvents")
      .select("orgId")
      .where("customerId", "=", customerId)
      .where("orgId", "is not", null)
      .orderBy("createdAt", "desc")
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst();
    return newest?.orgId ?? null;
  },

  async listEvents(orgId) {
    const rows = await db
      .selectFrom("billingEvents")
      .select(COLUMNS)
      .where("customerId", "in", ({ selectFrom }) =>
        selectFrom("billingEvents as named").select("named.customerId").where("named.orgId", "=", orgId),
      )
      .orderBy("createdAt")
      .orderBy("id")
      .execute();
    return rows.map(({ subscription, ...event }) => ({
      ...event,
      subscription: subscription === null ? null : (JSON.parse(subscription) as SubscriptionSnapshot),
    }));
  },

  async findCheckout(orgId) {
    const found = await db
      .selectFrom("checkouts")
      .select("checkoutId")
      .where("orgId", "=", orgId)
      .executeTakeFirst();
    return found?.checkoutId ?? null;
  },

  async putCheckout(orgId, checkoutId) {
    await db
      .insertInto("checkouts")
      .values({ orgId, checkoutId })
      .onConflict((conflict) => conflict.column("orgId").doUpdateSet({ checkoutId }))
      .execute();
  },

  async getMetered(orgId, month) {
    const found = await db
      .selectFrom("meteredOverage")
      .select(["reported", "pending"])
      .where("orgId", "=", orgId)
      .where("month", "=", month)
      .executeTakeFirst();
    return found ?? { reported: 0, pending: 0 };
  },

  async putMetered(orgId, month, { reported, pending }) {
    await db
      .insertInto("meteredOverage")
      .values({ orgId, month, reported, pending })
      .onConflict((conflict) => conflict.columns(["orgId", "month"]).doUpdateSet({ reported, pending }))
      .execute();
  },
});
