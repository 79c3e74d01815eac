import type { AlertChannel, AlertChannelStore, AlertType } from "@assay/domain";
import type { Kysely, Selectable } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Binds the store of alert channels to a database or a transaction. */
export const alertChannelStore = (db: Kysely<Database>): AlertChannelStore => ({
  async create(channel) {
    await db.insertInto("alertChannels").values(toRow(channel)).execute();
  },

  async list(orgId) {
    const rows = await db
      .selectFrom("alertChannels")
      .selectAll()
      .where("orgId", "=", orgId)
      .orderBy("name")
      .orderBy("id")
      .execute();
    return rows.map(toChannel);
  },

  async find(orgId, id) {
    const row = await db
      .selectFrom("alertChannels")
      .selectAll()
      .where("orgId", "=", orgId)
      .where("id", "=", id)
      .executeTakeFirst();
    return row === undefined ? null : toChannel(row);
  },

  async put(channel) {
    const { id, orgId, kind: _kind, createdAt: _createdAt, ...changed } = toRow(channel);
    await db
      .updateTable("alertChannels")
      .set(changed)
      .where("orgId", "=", orgId)
      .where("id", "=", id)
      .execute();
  },

  async remove(orgId, id) {
    const { numDeletedRows } = await db
      .deleteFrom("alertChannels")
      .where("orgId", "=", orgId)
      .where("id", "=", id)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  },

  async markFailing({ orgId, id }, since) {
    let update = db
      .updateTable("alertChannels")
      .set({ failingSince: since })
      .where("orgId", "=", orgId)
      .where("id", "=", id);
    if (since !== null) update = update.where("failingSince", "is", null);
    await update.execute();
  },

  async listTakers(type) {
    const rows = await db
      .selectFrom("alertChannels")
      .innerJoin("orgs", "orgs.id", "alertChannels.orgId")
      .select(["orgId", "types"])
      .where("isOn", "=", 1)
      .where("orgs.isDeleted", "=", 0)
      .orderBy("orgId")
      .execute();
    return [...new Set(rows.flatMap(({ orgId, types }) => (takes(types, type) ? [orgId] : [])))];
  },
});

/** Returns whether a channel's stored list contains the type. */
export function takes(types: string | null, type: AlertType): boolean {
  return types === null || (JSON.parse(types) as readonly string[]).includes(type);
}

type ChannelRow = Selectable<Database["alertChannels"]>;

const toRow = ({ types, isOn, ...channel }: AlertChannel): ChannelRow => ({
  ...channel,
  types: types === null ? null : JSON.stringify(types),
  isOn: isOn ? 1 : 0,
});

const toChannel = ({ types, isOn, ...row }: ChannelRow): AlertChannel => ({
  ...row,
  types: types === null ? null : (JSON.parse(types) as AlertType[]),
  isOn: isOn === 1,
});
