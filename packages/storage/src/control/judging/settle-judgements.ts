import {
  dayOf,
  type JudgementOutcome,
  type JudgementTask,
  type SettledJudgement,
  type Settlement,
} from "@assay/domain";
import type { Kysely, Selectable, Updateable } from "kysely";
import type { Database } from "../schema/schema.ts";
import { addEvaluations } from "../stores/usage-store.ts";
import { inSeries, seriesOf, storable } from "./series-rows.ts";

type CostRow = Selectable<Database["judgingCosts"]>;
type UsageRow = Pick<Selectable<Database["usage"]>, "orgId" | "month" | "judgeEvaluations">;

/** The conditions of a judgement that is pending under the task's claim. */
export const claimedBy = (task: JudgementTask) => ({
  ...inSeries("judgements", task),
  "judgements.eventId": task.eventId,
  "judgements.isRepeat": Number(task.isRepeat),
  "judgements.claim": task.claim,
  "judgements.state": "pending" as const,
});

/**
 * Settles judgements in the transaction `db`, and returns for each whether its claim was still valid. Usage and costs are first
 * summed to one row per month and per series, and then written in a fixed order, so that two processes cannot deadlock.
 */
export async function settleAll(
  db: Kysely<Database>,
  settlements: readonly Settlement[],
): Promise<readonly boolean[]> {
  const usage = new Map<string, UsageRow>();
  const costs = new Map<string, CostRow>();
  const isMine: boolean[] = [];
  for (const { task, settled } of settlements) {
    const cost = await settle(db, task, settled);
    isMine.push(cost !== null);
    if (cost === null || settled.usage === null) continue;
    addTo(costs, JSON.stringify([seriesOf(cost), cost.day]), cost, ["evaluations", "costUsd", "unpriced"]);
    const counted = { orgId: task.orgId, month: settled.month, judgeEvaluations: cost.evaluations };
    addTo(usage, `${counted.orgId} ${counted.month}`, counted, ["judgeEvaluations"]);
  }
  for (const row of inOrder(usage)) if (row.judgeEvaluations > 0) await addEvaluations(db, row);
  for (const row of inOrder(costs)) await addCost(db, row);
  return isMine;
}

/** Adds a row's numbers to the sums under its key. */
function addTo<Row, Field extends keyof Row>(
  rows: Map<string, Row>,
  key: string,
  row: Row & Readonly<Record<Field, number>>,
  fields: readonly Field[],
): void {
  const known = rows.get(key) as (Row & Readonly<Record<Field, number>>) | undefined;
  const sums = fields.map((field) => [field, row[field] + (known?.[field] ?? 0)] as const);
  rows.set(key, { ...row, ...Object.fromEntries(sums) });
}

const inOrder = <Row>(rows: ReadonlyMap<string, Row>): readonly Row[] =>
  [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);

/** Returns the cost that the attempt adds to its series; null when the claim was lost or the judgement already existed. */
async function settle(
  db: Kysely<Database>,
  task: JudgementTask,
  { outcome, usage, at }: SettledJudgement,
): Promise<CostRow | null> {
  const settled = await db
    .updateTable("judgements")
    .set({ claim: null, changedAt: at, ...outcomeColumns(outcome, at) })
    .set((eb) => ({
      attempts: eb("attempts", "+", outcome.kind === "postponed" && !outcome.isAttempt ? 0 : 1),
      inputTokens: eb("inputTokens", "+", usage?.inputTokens ?? 0),
      outputTokens: eb("outputTokens", "+", usage?.outputTokens ?? 0),
      ...(usage?.costUsd != null && {
        costUsd: eb(eb.fn.coalesce("costUsd", eb.val(0)), "+", usage.costUsd),
      }),
    }))
    .where((eb) => eb.and(claimedBy(task)))
    .returning(["inputTokens", "outputTokens", "costUsd"])
    .executeTakeFirst();
  if (settled === undefined) return null;
  const isUnpriced =
    outcome.kind !== "postponed" &&
    settled.costUsd === null &&
    settled.inputTokens + settled.outputTokens > 0;
  return {
    ...seriesOf(task),
    day: dayOf(at),
    evaluations: Number(outcome.kind === "scored"),
    costUsd: usage?.costUsd ?? 0,
    unpriced: Number(isUnpriced),
  };
}

function outcomeColumns(outcome: JudgementOutcome, at: number): Updateable<Database["judgements"]> {
  switch (outcome.kind) {
    case "scored": {
      const { score, reason, answerLength, isCut } = outcome;
      const about = { answerLength, isCut: Number(isCut), cause: null, detail: null };
      return { state: "scored", score, reason: storable(reason), judgedAt: at, ...about };
    }
    case "failed": {
      const { cause, detail } = outcome;
      return { state: "failed", cause, detail: storable(detail), judgedAt: at };
    }
    case "postponed": {
      const { cause, detail, notBefore } = outcome;
      return { notBefore, cause, detail: storable(detail) };
    }
  }
}

async function addCost(db: Kysely<Database>, cost: CostRow): Promise<void> {
  await db
    .insertInto("judgingCosts")
    .values(cost)
    .onConflict((conflict) =>
      conflict.columns(["experimentId", "metric", "metricVersion", "day"]).doUpdateSet((eb) => ({
        evaluations: eb("judgingCosts.evaluations", "+", cost.evaluations),
        costUsd: eb("judgingCosts.costUsd", "+", cost.costUsd),
        unpriced: eb("judgingCosts.unpriced", "+", cost.unpriced),
      })),
    )
    .execute();
}
