import type { AlertDelivery, AlertDeliveryStore, AlertMessage } from "@assay/domain";
import { type Kysely, type Selectable, sql } from "kysely";
import { mapPage, readPage } from "../query/keyset-page.ts";
import type { Database } from "../schema/schema.ts";

type DeliveryRow = Selectable<Database["alertDeliveries"]>;

const NEWEST_FIRST = {
  at: "createdAt",
  id: "id",
  positionOf: ({ createdAt: at, id }: DeliveryRow) => ({ at, id }),
};

/** Binds the store of deliveries to a database or a transaction. */
export const alertDeliveryStore = (db: Kysely<Database>): AlertDeliveryStore => ({
  async put({ message, ...delivery }) {
    await db
      .insertInto("alertDeliveries")
      .values({ ...delivery, message: JSON.stringify(message) })
      .execute();
  },

  async list(orgId, channelId, page) {
    const query = db
      .selectFrom("alertDeliveries")
      .selectAll()
      .where("orgId", "=", orgId)
      .where("channelId", "=", channelId);
    return mapPage(await readPage(query, NEWEST_FIRST, page), toDelivery);
  },

  async find({ orgId, channelId, id }) {
    const row = await db
      .selectFrom("alertDeliveries")
      .selectAll()
      .where("orgId", "=", orgId)
      .where("channelId", "=", channelId)
      .where("id", "=", id)
      .executeTakeFirst();
    return row === undefined ? null : toDelivery(row);
  },

  async replay({ orgId, channelId, id }, now) {
    const row = await db
      .updateTable("alertDeliveries")
      .set({ status: "waiting", attempts: 0, firstAt: null, nextAt: now })
      .where("orgId", "=", orgId)
      .where("channelId", "=", channelId)
      .where("id", "=", id)
      .where("status", "!=", "waiting")
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : toDelivery(row);
  },

  async listDue({ now, busy, limit }) {
    const due = db
      .selectFrom("alertDeliveries as delivery")
      .innerJoin("alertChannels", "alertChannels.id", "delivery.channelId")
      .innerJoin("orgs", "orgs.id", "delivery.orgId")
      .selectAll("delivery")
      .select(
        sql<number>`row_number() over (partition by channel_id order by next_at, delivery.id)`.as("turn"),
      )
      .where("delivery.status", "=", "waiting")
      .where("delivery.nextAt", "<=", now)
      .where("alertChannels.isOn", "=", 1)
      .where("orgs.isDeleted", "=", 0)
      .$if(busy.length > 0, (query) => query.where("delivery.channelId", "not in", busy));
    const rows = await db
      .selectFrom(due.as("due"))
      .selectAll()
      .where("turn", "=", 1)
      .orderBy("nextAt")
      .orderBy("id")
      .limit(limit)
      .execute();
    return rows.map(({ turn: _turn, ...row }) => toDelivery(row));
  },

  async claim({ orgId, id, attempts, nextAt }, now, until) {
    const row = await db
      .updateTable("alertDeliveries")
      .set((eb) => ({
        attempts: attempts + 1,
        firstAt: eb.fn.coalesce("firstAt", eb.val(now)),
        lastAt: now,
        nextAt: until,
      }))
      .where("orgId", "=", orgId)
      .where("id", "=", id)
      .where("status", "=", "waiting")
      .where("attempts", "=", attempts)
      .where("nextAt", "=", nextAt)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : toDelivery(row);
  },

  async finish({ orgId, id, attempts, nextAt }, outcome) {
    await db
      .updateTable("alertDeliveries")
      .set(outcome)
      .where("orgId", "=", orgId)
      .where("id", "=", id)
      .where("status", "=", "waiting")
      .where("attempts", "=", attempts)
      .where("nextAt", "=", nextAt)
      .execute();
  },

  async drop({ orgId, id }, answer) {
    await db
      .updateTable("alertDeliveries")
      .set({ status: "failed", nextAt: null, answer })
      .where("orgId", "=", orgId)
      .where("channelId", "=", id)
      .where("status", "=", "waiting")
      .execute();
  },
});

const toDelivery = ({ message, ...row }: DeliveryRow): AlertDelivery => ({
  ...row,
  message: JSON.parse(message) as AlertMessage,
});
