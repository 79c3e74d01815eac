import {
  answersOf,
  estimateUsd,
  judgedArms,
  type Rehearsal,
  type RehearsalStore,
  type RehearsalTask,
  stepOf,
} from "@assay/domain";
import { type Kysely, sql } from "kysely";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";
import { toRehearsal, updateRehearsal } from "./rehearsal-rows.ts";

/** With this many open requests, no further input is opened: an early stop would waste the answers not yet judged. */
const MAX_OPEN = 256;

type Request = Parameters<RehearsalStore["claim"]>[1];
type Key = Parameters<RehearsalStore["claim"]>[0];

/** Implements the port's `claim`. */
export const claimRequests = (
  db: Kysely<Database>,
  key: Key,
  request: Request,
): Promise<readonly RehearsalTask[]> =>
  inTransaction(db, async (tx) => {
    const { kinds, now, leaseUntil, limit, claim } = request;
    const row = await updateRehearsal(tx, key, { claimedAt: now });
    if (row?.state !== "running") return [];
    const rehearsal = toRehearsal(row);
    const open = await countOpen(tx, key.id, now);
    const { budgetUsd } = rehearsal.plan;
    if (rehearsal.spentUsd + open.reservedUsd >= budgetUsd) {
      if (open.claimed === 0) await end(tx, key, { endedBecause: "budget", now });
      return [];
    }
    // Waiting judgements come before new answers: an answer that is not judged when the budget ends is wasted.
    const keptUsd = kinds.includes("answer") ? open.unjudgedUsd : 0;
    const wantsInputs = kinds.includes("answer") && open.pending < MAX_OPEN;
    if (wantsInputs) await openInputs(tx, rehearsal, { opened: row.opened, limit: limit - open.waiting });
    const waiting = await listWaiting(tx, key.id, request);
    if (waiting.length === 0 && open.pending === 0 && !(await hasUnopened(tx, key.id)))
      await end(tx, key, { endedBecause: "completed", now });
    const chosen = withinBudget(waiting, budgetUsd - rehearsal.spentUsd - open.reservedUsd - keptUsd);
    for (const { place, step } of chosen)
      await tx
        .updateTable("rehearsalRequests")
        .set({ claim, notBefore: leaseUntil })
        .where("rehearsalId", "=", key.id)
        .where("place", "=", place)
        .where("step", "=", step)
        .execute();
    return toTasks(tx, chosen, { rehearsal, claim });
  });

const end = (
  db: Kysely<Database>,
  key: Key,
  { endedBecause, now }: { readonly endedBecause: "budget" | "completed"; readonly now: number },
) => updateRehearsal(db, key, { state: "done", endedBecause, endedAt: now, changedAt: now, fault: null });

/** Counts open requests: `claimed` are in flight, `waiting` are answers that no process is requesting. */
async function countOpen(db: Kysely<Database>, id: string, now: number) {
  const isLeased = sql`(claim is not null and not_before > ${now})`;
  const isUnjudged = sql`kind <> 'answer' and not ${isLeased}`;
  return db
    .selectFrom("rehearsalRequests")
    .select([
      sql<number>`count(*)`.as("pending"),
      sql<number>`count(case when ${isLeased} then 1 end)`.as("claimed"),
      sql<number>`count(case when kind = 'answer' and not_before <= ${now} then 1 end)`.as("waiting"),
      sql<number>`coalesce(sum(case when ${isLeased} then estimate_usd end), 0)`.as("reservedUsd"),
      sql<number>`coalesce(sum(case when ${isUnjudged} then estimate_usd end), 0)`.as("unjudgedUsd"),
    ])
    .where("rehearsalId", "=", id)
    .where("state", "=", "pending")
    .executeTakeFirstOrThrow();
}

/** Adds the answer requests of the next inputs, until at least `limit` are open. */
async function openInputs(
  db: Kysely<Database>,
  rehearsal: Rehearsal,
  { opened, limit }: { readonly opened: number; readonly limit: number },
): Promise<void> {
  const { id, orgId, plan } = rehearsal;
  const asked = answersOf(plan);
  const count = Math.ceil(limit / asked.length);
  if (count <= 0) return;
  const next = await db
    .selectFrom("rehearsalInputs")
    .select(["place", "characters"])
    .where("rehearsalId", "=", id)
    .where("place", ">", opened)
    .orderBy("place")
    .limit(count)
    .execute();
  const last = next.at(-1);
  if (last === undefined) return;
  const rows = next.flatMap(({ place, characters }) =>
    asked.map((request) => ({
      ...{ rehearsalId: id, orgId, place, step: stepOf(plan, request), ...request },
      estimateUsd: estimateUsd(rehearsal, request, characters),
    })),
  );
  await db.insertInto("rehearsalRequests").values(rows).execute();
  await updateRehearsal(db, rehearsal, { opened: last.place });
}

async function hasUnopened(db: Kysely<Database>, id: string): Promise<boolean> {
  const unopened = await db
    .selectFrom("rehearsalInputs")
    .innerJoin("rehearsals", "rehearsals.id", "rehearsalInputs.rehearsalId")
    .select("rehearsalInputs.place")
    .where("rehearsals.id", "=", id)
    .whereRef("rehearsalInputs.place", ">", "rehearsals.opened")
    .limit(1)
    .executeTakeFirst();
  return unopened !== undefined;
}

/** Requests without a valid lease, in the order of the inputs. */
const listWaiting = (db: Kysely<Database>, id: string, { kinds, now, limit }: Request) =>
  db
    .selectFrom("rehearsalRequests")
    .select(["place", "step", "kind", "arm", "repeat", "first", "attempts", "estimateUsd"])
    .where("rehearsalId", "=", id)
    .where("state", "=", "pending")
    .where("kind", "in", kinds)
    .where("notBefore", "<=", now)
    .orderBy("place")
    .orderBy("step")
    .limit(limit)
    .execute();

type Waiting = Awaited<ReturnType<typeof listWaiting>>[number];

/** Takes requests until their estimated costs reach the remaining budget. */
function withinBudget(waiting: readonly Waiting[], leftUsd: number): readonly Waiting[] {
  let left = leftUsd;
  return waiting.filter(({ estimateUsd: usd }) => {
    const isTaken = left > 0;
    left -= usd;
    return isTaken;
  });
}

async function toTasks(
  db: Kysely<Database>,
  chosen: readonly Waiting[],
  { rehearsal, claim }: { readonly rehearsal: Rehearsal; readonly claim: string },
): Promise<readonly RehearsalTask[]> {
  if (chosen.length === 0) return [];
  const places = [...new Set(chosen.map(({ place }) => place))];
  const inputs = await db
    .selectFrom("rehearsalInputs")
    .select(["place", "itemId", "position"])
    .where("rehearsalId", "=", rehearsal.id)
    .where("place", "in", places)
    .execute();
  const texts = await loadTexts(db, rehearsal, chosen);
  const byPlace = new Map(inputs.map((input) => [input.place, input]));
  return chosen.flatMap(({ estimateUsd: _, ...request }) => {
    const input = byPlace.get(request.place);
    if (input === undefined) return [];
    const answers = judgedArms(request).map((arm) => texts.get(keyOf({ ...request, arm })) ?? "");
    return [{ rehearsal, claim, ...request, ...input, answers }];
  });
}

const keyOf = ({ place, arm, repeat }: Pick<Waiting, "place" | "arm" | "repeat">) =>
  `${place} ${arm} ${repeat}`;

async function loadTexts(
  db: Kysely<Database>,
  { id }: Pick<Rehearsal, "id">,
  chosen: readonly Waiting[],
): Promise<ReadonlyMap<string, string>> {
  const judged = chosen.filter(({ kind }) => kind !== "answer");
  if (judged.length === 0) return new Map();
  const rows = await db
    .selectFrom("rehearsalRequests")
    .select(["place", "arm", "repeat", "text"])
    .where("rehearsalId", "=", id)
    .where("kind", "=", "answer")
    .where("place", "in", [...new Set(judged.map(({ place }) => place))])
    .execute();
  return new Map(rows.map((row) => [keyOf(row), row.text ?? ""]));
}
