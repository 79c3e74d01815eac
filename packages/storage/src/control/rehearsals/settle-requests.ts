import {
  estimateUsd,
  judgedArms,
  judgementsAfter,
  type Rehearsal,
  type RehearsalOutcome,
  type RehearsalTask,
  type SettledRequest,
  type Settling,
  stepOf,
} from "@assay/domain";
import type { Kysely, Updateable } from "kysely";
import { storable } from "../judging/series-rows.ts";
import type { Database } from "../schema/schema.ts";
import { addEvaluations } from "../stores/usage-store.ts";
import { claimedBy, toRehearsal, updateRehearsal } from "./rehearsal-rows.ts";

const LOST: Settling = { isMine: false, isInputFinished: false };

/** Settles requests in the transaction `db`. Rows are locked in a fixed order, so that two processes cannot deadlock. */
export async function settleRequests(
  db: Kysely<Database>,
  settlements: readonly SettledRequest[],
): Promise<readonly Settling[]> {
  const results = new Map<SettledRequest, Settling>();
  const evaluations = new Map<string, number>();
  const byRehearsal = Map.groupBy(settlements, ({ task }) => task.rehearsal.id);
  for (const [, ofOne] of [...byRehearsal].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const made = await settleOfOne(db, ofOne);
    for (const [settled, settling] of made) {
      results.set(settled, settling);
      const key = JSON.stringify([settled.task.rehearsal.orgId, settled.month]);
      if (settling.isMine && isJudged(settled.outcome)) evaluations.set(key, (evaluations.get(key) ?? 0) + 1);
    }
  }
  for (const [key, judgeEvaluations] of [...evaluations].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [orgId, month] = JSON.parse(key) as [string, string];
    await addEvaluations(db, { orgId, month, judgeEvaluations });
  }
  return settlements.map((settled) => results.get(settled) ?? LOST);
}

const isJudged = ({ kind }: RehearsalOutcome): boolean => kind === "preferred" || kind === "scored";

async function settleOfOne(
  db: Kysely<Database>,
  settlements: readonly SettledRequest[],
): Promise<readonly (readonly [SettledRequest, Settling])[]> {
  const [{ task, at }] = settlements as readonly [SettledRequest];
  const row = await updateRehearsal(db, task.rehearsal, { changedAt: at });
  if (row === undefined) return [];
  const rehearsal = toRehearsal(row);
  const made: (readonly [SettledRequest, Settling])[] = [];
  let { spentUsd, fault } = row;
  for (const settled of settlements) {
    const stored = await store(db, settled);
    if (stored === undefined) {
      made.push([settled, LOST]);
      continue;
    }
    if (settled.usage !== null) spentUsd += settled.usage.costUsd ?? stored.estimateUsd;
    if (settled.outcome.kind === "answered") await addJudgements(db, rehearsal, settled.task);
    // The result of a request that was in flight during the pause does not show that the fault is gone.
    const isWorking = settled.outcome.kind === "answered" || isJudged(settled.outcome);
    if (isWorking && row.state === "running") fault = null;
    const isInputFinished = settled.outcome.kind !== "postponed" && (await finishInput(db, settled));
    made.push([settled, { isMine: true, isInputFinished }]);
  }
  await updateRehearsal(db, rehearsal, { spentUsd, fault });
  return made;
}

/** Stores an outcome; undefined when the claim was lost or the request was already settled. */
function store(db: Kysely<Database>, { task, outcome, usage, at }: SettledRequest) {
  const known = Object.entries(usage ?? {}).filter(([, value]) => value !== null);
  return db
    .updateTable("rehearsalRequests")
    .set({ claim: null, ...columnsOf(outcome, at) })
    .set((eb) => ({
      attempts: eb("attempts", "+", outcome.kind === "postponed" && !outcome.isAttempt ? 0 : 1),
      // Earlier attempts may also have used tokens.
      ...Object.fromEntries(
        known.map(([name, value]) => {
          const column = name as "inputTokens" | "outputTokens" | "costUsd";
          return [column, eb(eb.fn.coalesce(column, eb.val(0)), "+", value as number)];
        }),
      ),
    }))
    .where((eb) => eb.and(claimedBy(task)))
    .returning("estimateUsd")
    .executeTakeFirst();
}

function columnsOf(outcome: RehearsalOutcome, at: number): Updateable<Database["rehearsalRequests"]> {
  const done = { state: "done", settledAt: at, cause: null, detail: null } as const;
  switch (outcome.kind) {
    case "answered": {
      const { text, length, latencyMs } = outcome;
      return { ...done, text: storable(text), length, latencyMs };
    }
    case "preferred":
      return { ...done, preference: outcome.preference, reason: storable(outcome.reason) };
    case "scored":
      return { ...done, score: outcome.score, reason: storable(outcome.reason) };
    case "failed":
      return { state: "failed", settledAt: at, cause: outcome.cause, detail: storable(outcome.detail) };
    case "postponed":
      return { notBefore: outcome.notBefore, cause: outcome.cause, detail: storable(outcome.detail) };
  }
}

/** Adds the judgements that an answer makes possible. Two equal answers are a tie and need no judgement. */
async function addJudgements(
  db: Kysely<Database>,
  rehearsal: Rehearsal,
  { place, arm, repeat }: RehearsalTask,
): Promise<void> {
  const { id, orgId, plan } = rehearsal;
  const answers = await db
    .selectFrom("rehearsalRequests")
    .select(["arm", "text"])
    .where("rehearsalId", "=", id)
    .where("place", "=", place)
    .where("kind", "=", "answer")
    .where("repeat", "=", repeat)
    .where("state", "=", "done")
    .execute();
  const texts = new Map(answers.map((answer) => [answer.arm, answer.text ?? ""]));
  const next = judgementsAfter(plan, { arm, repeat }, [...texts.keys()]);
  if (next.length === 0) return;
  const { characters } = await db
    .selectFrom("rehearsalInputs")
    .select("characters")
    .where("rehearsalId", "=", id)
    .where("place", "=", place)
    .executeTakeFirstOrThrow();
  const rows = next.map((request) => {
    const judged = judgedArms(request).map((one) => texts.get(one) ?? "");
    const total = judged.reduce((sum, text) => sum + text.length, characters);
    const isTie = request.kind === "judgement" && judged[0] === judged[1];
    return {
      ...{ rehearsalId: id, orgId, place, step: stepOf(plan, request), ...request },
      ...(isTie ? SAME : {}),
      estimateUsd: estimateUsd(rehearsal, request, total),
    };
  });
  // One insert would need the same columns in every row.
  for (const row of rows) await db.insertInto("rehearsalRequests").values(row).execute();
}

const SAME = { state: "done", preference: "tie", reason: "The answers are the same." } as const;

/** Marks the input as finished when no request about it remains. */
async function finishInput(db: Kysely<Database>, { task, at }: SettledRequest): Promise<boolean> {
  const isOf = { rehearsalId: task.rehearsal.id, place: task.place };
  const open = await db
    .selectFrom("rehearsalRequests")
    .select("step")
    .where((eb) => eb.and({ ...isOf, state: "pending" }))
    .limit(1)
    .executeTakeFirst();
  if (open !== undefined) return false;
  await db
    .updateTable("rehearsalInputs")
    .set({ finishedAt: at })
    .where((eb) => eb.and(isOf))
    .execute();
  return true;
}
