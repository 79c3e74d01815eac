import type { Rehearsal, RehearsalStore } from "@assay/domain";
import { type Kysely, sql } from "kysely";
import { canBeStored, dialectOf } from "../dialect/dialect.ts";
import { inTransaction } from "../query/in-transaction.ts";
import { mapPage, readPage } from "../query/keyset-page.ts";
import type { Database } from "../schema/schema.ts";
import { claimRequests } from "./claim-requests.ts";
import { rehearsalPicks } from "./rehearsal-picks.ts";
import { rehearsalReader } from "./rehearsal-reader.ts";
import {
  claimedBy,
  type RehearsalRow,
  rehearsalNotFound,
  toRehearsal,
  updateRehearsal,
} from "./rehearsal-rows.ts";
import { rehearsedExperiments } from "./rehearsed-experiments.ts";
import { settleRequests } from "./settle-requests.ts";

const ROWS_PER_INSERT = 500;

const NEWEST_FIRST = {
  at: "createdAt",
  id: "id",
  positionOf: ({ createdAt, id }: RehearsalRow) => ({ at: createdAt, id }),
};

/** Binds the store of rehearsals to a database or a transaction. */
export const rehearsalStore = (db: Kysely<Database>): RehearsalStore => ({
  ...rehearsalReader(db),
  ...rehearsalPicks(db),
  ...rehearsedExperiments(db),
  put: (rehearsal, inputs) =>
    inTransaction(db, async (tx) => {
      const { id, orgId, plan, prices, stopWhenEnough, ...rest } = rehearsal;
      const row = await tx
        .insertInto("rehearsals")
        .values({
          ...{ id, orgId, ...rest, state: "running", inputs: inputs.length },
          plan: JSON.stringify(plan),
          prices: JSON.stringify(prices),
          stopWhenEnough: Number(stopWhenEnough),
          changedAt: rehearsal.createdAt,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      const rows = inputs.map((input) => ({ rehearsalId: id, orgId, ...input }));
      for (let start = 0; start < rows.length; start += ROWS_PER_INSERT)
        await tx
          .insertInto("rehearsalInputs")
          .values(rows.slice(start, start + ROWS_PER_INSERT))
          .execute();
      await dialectOf(tx).notifyChange(tx, { kind: "rehearsing", orgId });
      return toRehearsal(row);
    }),

  async find(orgId, id) {
    const row = await db
      .selectFrom("rehearsals")
      .selectAll()
      .where("orgId", "=", orgId)
      .where("id", "=", id)
      .executeTakeFirst();
    return row ? toRehearsal(row) : null;
  },

  async lock(orgId, id) {
    const row = await updateRehearsal(db, { orgId, id }, { id });
    if (row === undefined) throw rehearsalNotFound();
    return toRehearsal(row);
  },

  async list(orgId, page) {
    const query = db.selectFrom("rehearsals").selectAll().where("orgId", "=", orgId);
    return mapPage(await readPage(query, NEWEST_FIRST, page), toRehearsal);
  },

  async countOpen(orgId) {
    const { count } = await db
      .selectFrom("rehearsals")
      .select(sql<number>`count(*)`.as("count"))
      .where("orgId", "=", orgId)
      .where("state", "in", ["running", "paused"])
      .executeTakeFirstOrThrow();
    return count;
  },

  async move(key, { state, endedBecause, at }) {
    const isOpen = state === "running" || state === "paused";
    const ended = { endedBecause, endedAt: isOpen ? null : at };
    await updateRehearsal(db, key, {
      ...{ state, ...ended, changedAt: at },
      ...(state !== "paused" && { fault: null }),
    });
    if (state === "running") await dialectOf(db).notifyChange(db, { kind: "rehearsing", orgId: key.orgId });
  },

  async setFault({ orgId, id }, fault, at) {
    await db
      .updateTable("rehearsals")
      .set({ fault, changedAt: at })
      .where("orgId", "=", orgId)
      .where("id", "=", id)
      .where("fault", "is distinct from", fault)
      .execute();
  },

  async listRunning(limit) {
    const rows = await db
      .selectFrom("rehearsals")
      .selectAll()
      .where("state", "=", "running")
      .where("orgId", "in", ({ selectFrom }) =>
        selectFrom("orgs").select("orgs.id").where("orgs.isDeleted", "=", 0),
      )
      .orderBy("claimedAt")
      .orderBy("id")
      .limit(limit)
      .execute();
    return rows.map(toRehearsal);
  },

  claim: (key, request) => claimRequests(db, key, request),

  async renew(claims, leaseUntil) {
    if (claims.length === 0) return;
    // Skips rows that are being settled, because waiting for them could deadlock.
    const held = dialectOf(db).skipLocked(
      db
        .selectFrom("rehearsalRequests")
        .select(["rehearsalId", "place", "step"])
        .where("state", "=", "pending")
        .where("claim", "in", claims),
    );
    await db
      .with("held", () => held)
      .updateTable("rehearsalRequests")
      .set({ notBefore: leaseUntil })
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom("held")
            .select("held.step")
            .whereRef("held.rehearsalId", "=", "rehearsalRequests.rehearsalId")
            .whereRef("held.place", "=", "rehearsalRequests.place")
            .whereRef("held.step", "=", "rehearsalRequests.step"),
        ),
      )
      .where("state", "=", "pending")
      .execute();
  },

  release: (tasks) =>
    inTransaction(db, async (tx) => {
      for (const task of tasks)
        await tx
          .updateTable("rehearsalRequests")
          .set({ claim: null, notBefore: 0 })
          .where((eb) => eb.and(claimedBy(task)))
          .execute();
    }),

  async releaseAll() {
    await db
      .updateTable("rehearsalRequests")
      .set({ claim: null, notBefore: 0 })
      .where("state", "=", "pending")
      .where("claim", "is not", null)
      .execute();
  },

  settleAll: (settlements) => inTransaction(db, (tx) => settleRequests(tx, settlements)),

  async eraseUsers(users) {
    let removed = 0;
    for (const user of users)
      if (canBeStored(db, user.userId)) removed += await inTransaction(db, (tx) => eraseUser(tx, user));
    return removed;
  },

  async listWithTexts({ after, limit }) {
    const rows = await db
      .selectFrom("rehearsals")
      .selectAll()
      .where("hasTexts", "=", 1)
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit)
      .execute();
    return rows.map(toRehearsal);
  },

  forgetTexts: (key, at) =>
    inTransaction(db, async (tx) => {
      const row = await updateRehearsal(tx, key, { hasTexts: 0, changedAt: at });
      if (row === undefined) return;
      if (row.state === "running" || row.state === "paused")
        await updateRehearsal(tx, key, { state: "stopped", endedAt: at, fault: null });
      await tx
        .updateTable("rehearsalRequests")
        .set({ text: null, reason: null, detail: null })
        .where("rehearsalId", "=", key.id)
        .execute();
    }),

  removeOfDeletedOrgs: () =>
    inTransaction(db, async (tx) => {
      const deleted = tx.selectFrom("orgs").select("id").where("isDeleted", "=", 1);
      await tx.deleteFrom("rehearsalRequests").where("orgId", "in", deleted).execute();
      await tx.deleteFrom("rehearsalInputs").where("orgId", "in", deleted).execute();
      const { numDeletedRows } = await tx
        .deleteFrom("rehearsals")
        .where("orgId", "in", deleted)
        .executeTakeFirst();
      return Number(numDeletedRows);
    }),
});

type User = Parameters<RehearsalStore["eraseUsers"]>[0][number];

/** Erases a user from one rehearsal at a time. Locks the rehearsal first, like claims and settlements. */
async function eraseUser(db: Kysely<Database>, { orgId, userId }: User): Promise<number> {
  const affected = await db
    .selectFrom("rehearsalInputs")
    .select("rehearsalId")
    .distinct()
    .where("orgId", "=", orgId)
    .where("userId", "=", userId)
    .orderBy("rehearsalId")
    .execute();
  let removed = 0;
  for (const { rehearsalId } of affected)
    removed += await eraseInputs(db, { orgId, id: rehearsalId }, userId);
  return removed;
}

async function eraseInputs(
  db: Kysely<Database>,
  key: Pick<Rehearsal, "orgId" | "id">,
  userId: string,
): Promise<number> {
  const row = await updateRehearsal(db, key, { id: key.id });
  const gone = await db
    .deleteFrom("rehearsalInputs")
    .where("rehearsalId", "=", key.id)
    .where("userId", "=", userId)
    .returning("place")
    .execute();
  if (row === undefined || gone.length === 0) return 0;
  const places = gone.map(({ place }) => place);
  let removed = gone.length;
  for (const table of ["rehearsalRequests", "rehearsalPicks"] as const) {
    const { numDeletedRows } = await db
      .deleteFrom(table)
      .where("rehearsalId", "=", key.id)
      .where("place", "in", places)
      .executeTakeFirst();
    removed += Number(numDeletedRows);
  }
  // Later than the previous change, so that the report is computed again.
  const changedAt = row.changedAt + 1;
  await updateRehearsal(db, key, { inputs: row.inputs - gone.length, changedAt });
  return removed;
}
