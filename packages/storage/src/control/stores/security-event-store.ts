import {
  MAX_KEPT_BY_EVENT,
  MAX_KEPT_BY_NETWORK,
  type OrgSecurityEvent,
  type SecurityEventStore,
} from "@assay/domain";
import type { Kysely } from "kysely";
import { inTransaction } from "../query/in-transaction.ts";
import { readPage } from "../query/keyset-page.ts";
import type { Database } from "../schema/schema.ts";

/** More than one flush can add, so that a single deletion restores the limit. */
const MAX_EXCESS = 10_000;

const NEWEST_FIRST = { at: "at", id: "id", positionOf: ({ at, id }: OrgSecurityEvent) => ({ at, id }) };

/** Binds the store of security events to a database or a transaction. */
export const securityEventStore = (db: Kysely<Database>): SecurityEventStore => ({
  append: (events) =>
    inTransaction(db, async (tx) => {
      // A fixed order, so that two processes cannot deadlock.
      const sorted = [...events].sort((a, b) => (listOf(a) < listOf(b) ? -1 : 1));
      for (const event of sorted) await tx.insertInto("securityEvents").values(event).execute();
      for (const [, event] of new Map(sorted.map((event) => [`${listOf(event)} ${event.network}`, event])))
        await trim(tx, event, MAX_KEPT_BY_NETWORK, event.network);
      for (const [, event] of new Map(sorted.map((event) => [listOf(event), event])))
        await trim(tx, event, MAX_KEPT_BY_EVENT);
    }),

  async expire(until) {
    await db.deleteFrom("securityEvents").where("at", "<", until).execute();
  },

  list: (orgId, { since, ...page }) =>
    readPage(
      db.selectFrom("securityEvents").selectAll().where("orgId", "=", orgId).where("at", ">=", since),
      NEWEST_FIRST,
      page,
    ),
});

const listOf = ({ orgId, name }: OrgSecurityEvent): string => `${orgId} ${name}`;

/** Removes the oldest events beyond `max` of an org and event name, and of a network if one is given. */
async function trim(
  tx: Kysely<Database>,
  { orgId, name }: OrgSecurityEvent,
  max: number,
  network?: string | null,
): Promise<void> {
  let excess = tx
    .selectFrom("securityEvents")
    .select("id")
    .where("orgId", "=", orgId)
    .where("name", "=", name);
  if (network !== undefined) excess = excess.where("network", network === null ? "is" : "=", network);
  await tx
    .deleteFrom("securityEvents")
    .where("orgId", "=", orgId)
    .where("id", "in", excess.orderBy("at", "desc").orderBy("id", "desc").limit(MAX_EXCESS).offset(max))
    .execute();
}
