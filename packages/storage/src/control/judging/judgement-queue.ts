import type { JudgementStore, JudgementTask } from "@assay/domain";
import type { Kysely, Selectable } from "kysely";
import { dialectOf } from "../dialect/dialect.ts";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";
import { inSeries, seriesOf } from "./series-rows.ts";
import { claimedBy, settleAll } from "./settle-judgements.ts";

type JudgementQueue = Pick<
  JudgementStore,
  | "countPending"
  | "claim"
  | "renew"
  | "hasLease"
  | "settle"
  | "settleAll"
  | "release"
  | "releaseAll"
  | "retryFailed"
>;

/** Binds the queue of pending judgements to a database or a transaction. */
export const judgementQueue = (db: Kysely<Database>): JudgementQueue => ({
  async countPending(orgId) {
    let query = db
      .selectFrom("judgements")
      .select(({ fn }) => fn.countAll<number>().as("pending"))
      .where("state", "=", "pending");
    if (orgId !== null) query = query.where("orgId", "=", orgId);
    const { pending } = await query.executeTakeFirstOrThrow();
    return pending;
  },

  async claim({ leaseUntil, claim, ...filter }) {
    const rows = await db
      .with("next", () => claimable(db, filter))
      .updateTable("judgements")
      .set({ claim, notBefore: leaseUntil })
      .where("id", "in", ({ selectFrom }) => selectFrom("next").select("next.id"))
      .returning([...TASK_COLUMNS, "drawOrder"])
      .execute();
    return rows
      .sort((a, b) => (a.day === b.day ? a.drawOrder - b.drawOrder : a.day < b.day ? -1 : 1))
      .map((row) => toTask(row, claim));
  },

  async renew(claims, leaseUntil) {
    if (claims.length === 0) return;
    await db
      .updateTable("judgements")
      .set({ notBefore: leaseUntil })
      .where("id", "in", () => claimedUnder(db, claims))
      .execute();
  },

  async hasLease(orgId, experimentId, now) {
    const leased = await db
      .selectFrom("judgements")
      .select("id")
      .where("orgId", "=", orgId)
      .where("experimentId", "=", experimentId)
      .where("state", "=", "pending")
      .where("claim", "is not", null)
      .where("notBefore", ">", now)
      .limit(1)
      .executeTakeFirst();
    return leased !== undefined;
  },

  async settle(task, settled) {
    const [isMine] = await inTransaction(db, (tx) => settleAll(tx, [{ task, settled }]));
    return isMine === true;
  },

  settleAll: (settlements) => inTransaction(db, (tx) => settleAll(tx, settlements)),

  release: (tasks) =>
    inTransaction(db, async (tx) => {
      for (const task of tasks)
        await tx
          .updateTable("judgements")
          .set({ claim: null, notBefore: 0 })
          .where((eb) => eb.and(claimedBy(task)))
          .execute();
    }),

  async releaseAll() {
    await db
      .updateTable("judgements")
      .set({ claim: null, notBefore: 0 })
      .where("state", "=", "pending")
      .where("claim", "is not", null)
      .execute();
  },

  retryFailed: (series, now) =>
    inTransaction(db, async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable("judgements")
        .set({ state: "pending", notBefore: 0, attempts: 0, judgedAt: null, drawnAt: now, changedAt: now })
        .where((eb) => eb.and(inSeries("judgements", series)))
        .where("state", "=", "failed")
        .executeTakeFirst();
      await dialectOf(tx).notifyChange(tx, { kind: "judging", orgId: series.orgId });
      return Number(numUpdatedRows);
    }),
});

const TASK_COLUMNS = [
  "orgId",
  "experimentId",
  "metric",
  "metricVersion",
  "eventId",
  "isRepeat",
  "judgeVersion",
  "userId",
  "unitId",
  "occurredAt",
  "day",
  "hasFailed",
  "attempts",
  "drawnAt",
] as const;

type TaskRow = Pick<Selectable<Database["judgements"]>, (typeof TASK_COLUMNS)[number]>;

const toTask = ({ isRepeat, hasFailed, ...row }: TaskRow, claim: string): JudgementTask => ({
  ...seriesOf(row),
  eventId: row.eventId,
  isRepeat: isRepeat === 1,
  claim,
  judgeVersion: row.judgeVersion,
  userId: row.userId,
  unitId: row.unitId,
  occurredAt: row.occurredAt,
  day: row.day,
  hasFailed: hasFailed === 1,
  attempts: row.attempts,
  drawnAt: row.drawnAt,
});

interface ClaimFilter {
  readonly now: number;
  readonly limit: number;
  readonly experimentId?: string;
}

/** Judgements without a valid lease. Processes that claim at the same time skip each other's rows. */
function claimable(db: Kysely<Database>, { now, limit, experimentId }: ClaimFilter) {
  let query = db
    .selectFrom("judgements")
    .select("judgements.id")
    .where("judgements.state", "=", "pending")
    .where("judgements.notBefore", "<=", now)
    .orderBy("judgements.day")
    .orderBy("judgements.drawOrder")
    .limit(limit);
  query =
    experimentId === undefined
      ? query.where("judgements.experimentId", "not in", demosOf(db))
      : query.where("judgements.experimentId", "=", experimentId);
  return dialectOf(db).skipLocked(query);
}

/** Pending judgements of these claims. Skips rows that are being settled, because waiting for them could deadlock. */
function claimedUnder(db: Kysely<Database>, claims: readonly string[]) {
  const query = db
    .selectFrom("judgements")
    .select("judgements.id")
    .where("judgements.state", "=", "pending")
    .where("judgements.claim", "in", claims);
  return dialectOf(db).skipLocked(query);
}

/** Demo experiments. Only the demo's loader creates their judgements. */
function demosOf(db: Kysely<Database>) {
  return db.selectFrom("experiments").select("experiments.id").where("experiments.isDemo", "=", 1);
}
