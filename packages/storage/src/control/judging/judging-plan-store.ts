import { setImmediate as nextTurn } from "node:timers/promises";
import type { DrawnCall, JudgedSeries, JudgementStore, JudgingPlan } from "@assay/domain";
import type { Insertable, Kysely, Selectable } from "kysely";
import { dialectOf } from "../dialect/dialect.ts";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";
import { inSeries, seriesOf } from "./series-rows.ts";

type JudgingPlanStore = Pick<JudgementStore, "findJudgeVersion" | "listPlannedDays" | "putPlan" | "putEarly">;

/** Draws per insert: a few milliseconds of the event loop. */
const DRAWS_PER_INSERT = 100;
/** The `calls` of a day that has early judgements but has not been drawn. A drawn plan names at least one arm. */
const NOT_DRAWN = "{}";

/** Binds the store of draws to a database or a transaction. `newId` creates ids that order rows of the same instant. */
export const judgingPlanStore = (db: Kysely<Database>, newId: () => string): JudgingPlanStore => ({
  async findJudgeVersion(series) {
    const first = await db
      .selectFrom("judgingPlans")
      .select("judgeVersion")
      .where((eb) => eb.and(inSeries("judgingPlans", series)))
      .orderBy("plannedAt")
      .orderBy("day")
      .limit(1)
      .executeTakeFirst();
    return first?.judgeVersion ?? null;
  },

  async listPlannedDays(series) {
    const plans = await db
      .selectFrom("judgingPlans")
      .select("day")
      .where((eb) => eb.and(inSeries("judgingPlans", series)))
      .where("calls", "!=", NOT_DRAWN)
      .orderBy("day")
      .execute();
    return plans.map(({ day }) => day);
  },

  putPlan: (plan, drawn) =>
    inTransaction(db, async (tx) => {
      const early = await findEarly(tx, plan);
      const judged = sumByArm(early ?? {}, countByArm(drawn));
      // Without early judgements, no call can be known.
      if (early !== null)
        for (const { arm } of await findKnown(tx, plan, drawn)) judged[arm] = judged[arm]! - 1;
      if (!(await upsertPlan(tx, { ...plan, calls: JSON.stringify(plan.calls), drawn: judged })))
        return false;
      await insertDrawn(
        tx,
        drawn.flatMap((call) => toRows(plan, call, newId)),
      );
      await dialectOf(tx).notifyChange(tx, { kind: "judging", orgId: plan.orgId });
      return true;
    }),

  putEarly: (plan, calls, limit) =>
    inTransaction(db, async (tx) => {
      const early = (await findEarly(tx, plan)) ?? {};
      const known = new Set((await findKnown(tx, plan, calls)).map(({ eventId }) => eventId));
      const added = calls
        .filter(({ eventId }) => !known.has(eventId))
        .slice(0, Math.max(0, limit - totalOf(early)));
      const judged = sumByArm(early, countByArm(added));
      if (!(await upsertPlan(tx, { ...plan, calls: NOT_DRAWN, drawn: judged }))) return null;
      await insertDrawn(
        tx,
        added.flatMap((call) => toRows(plan, { ...call, ...EARLY }, newId)),
      );
      if (added.length > 0) await dialectOf(tx).notifyChange(tx, { kind: "judging", orgId: plan.orgId });
      return totalOf(judged);
    }),
});

/** The values of a call until the day's plan draws it. */
const EARLY = { probability: 0, isRepeated: false };

type ByArm = Record<string, number>;
type PlannedDay = Omit<JudgingPlan, "calls">;
type Known = Pick<Selectable<Database["judgements"]>, "eventId" | "arm">;

/** First judgements by arm on a day that has not been drawn; null when there are none. */
async function findEarly(db: Kysely<Database>, { day, ...series }: PlannedDay): Promise<ByArm | null> {
  const row = await db
    .selectFrom("judgingPlans")
    .select("drawn")
    .where((eb) => eb.and(inSeries("judgingPlans", series)))
    .where("day", "=", day)
    .where("calls", "=", NOT_DRAWN)
    .executeTakeFirst();
  return row === undefined ? null : (JSON.parse(row.drawn) as ByArm);
}

/** The calls that already have a judgement. */
async function findKnown(
  db: Kysely<Database>,
  series: JudgedSeries,
  calls: readonly DrawnCall[],
): Promise<readonly Known[]> {
  const known: Known[] = [];
  for (let start = 0; start < calls.length; start += DRAWS_PER_INSERT) {
    const eventIds = calls.slice(start, start + DRAWS_PER_INSERT).map(({ eventId }) => eventId);
    known.push(
      ...(await db
        .selectFrom("judgements")
        .select(["eventId", "arm"])
        .where((eb) => eb.and(inSeries("judgements", series)))
        .where("isRepeat", "=", 0)
        .where("eventId", "in", eventIds)
        .execute()),
    );
  }
  return known;
}

/** Stores a day's counts; returns false when the day has already been drawn. */
async function upsertPlan(
  db: Kysely<Database>,
  {
    day,
    judgeVersion,
    calls,
    drawn,
    plannedAt,
    ...series
  }: PlannedDay & { readonly calls: string; readonly drawn: ByArm },
): Promise<boolean> {
  const values = { judgeVersion, plannedAt, calls, drawn: JSON.stringify(drawn) };
  const stored = await db
    .insertInto("judgingPlans")
    .values({ ...seriesOf(series), day, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(["experimentId", "metric", "metricVersion", "day"])
        .doUpdateSet(values)
        .where("judgingPlans.calls", "=", NOT_DRAWN),
    )
    .returning("day")
    .executeTakeFirst();
  return stored !== undefined;
}

/** Inserts the drawn calls. A call that was judged early keeps its judgement. */
async function insertDrawn(
  db: Kysely<Database>,
  rows: readonly Insertable<Database["judgements"]>[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += DRAWS_PER_INSERT) {
    await db
      .insertInto("judgements")
      .values(rows.slice(start, start + DRAWS_PER_INSERT))
      .onConflict((conflict) =>
        conflict
          .columns(["experimentId", "metric", "metricVersion", "eventId", "isRepeat"])
          .doUpdateSet(({ ref }) => ({ probability: ref("excluded.probability"), arm: ref("excluded.arm") })),
      )
      .execute();
    await nextTurn();
  }
}

function countByArm(calls: readonly Pick<DrawnCall, "arm">[]): ByArm {
  const byArm = Map.groupBy(calls, ({ arm }) => arm);
  return Object.fromEntries([...byArm].map(([arm, ofArm]) => [arm, ofArm.length]));
}

function sumByArm(one: ByArm, other: ByArm): ByArm {
  const arms = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(arms.map((arm) => [arm, (one[arm] ?? 0) + (other[arm] ?? 0)]));
}

function totalOf(byArm: ByArm): number {
  return Object.values(byArm).reduce((sum, count) => sum + count, 0);
}

function toRows(
  { day, judgeVersion, plannedAt, ...series }: PlannedDay,
  { order, isRepeated, hasFailed, eventId, userId, unitId, arm, occurredAt, probability }: DrawnCall,
  newId: () => string,
): readonly Insertable<Database["judgements"]>[] {
  return (isRepeated ? [0, 1] : [0]).map((isRepeat) => ({
    ...seriesOf(series),
    ...{ id: newId(), eventId, isRepeat, judgeVersion, day, userId, unitId, arm, occurredAt, probability },
    ...{ drawOrder: order, hasFailed: Number(hasFailed), drawnAt: plannedAt, changedAt: plannedAt },
  }));
}
