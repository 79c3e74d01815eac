import {
  DomainError,
  type ModelPrice,
  type Rehearsal,
  type RehearsalPlan,
  type RehearsalTask,
} from "@assay/domain";
import type { Kysely, Selectable, Updateable } from "kysely";
import type { Database } from "../schema/schema.ts";

export type RehearsalRow = Selectable<Database["rehearsals"]>;
type Key = Pick<Rehearsal, "orgId" | "id">;

/** Converts a stored row to a rehearsal. */
export const toRehearsal = (row: RehearsalRow): Rehearsal => ({
  id: row.id,
  orgId: row.orgId,
  plan: JSON.parse(row.plan) as RehearsalPlan,
  prices: JSON.parse(row.prices) as readonly ModelPrice[],
  stopWhenEnough: row.stopWhenEnough === 1,
  judgeModel: row.judgeModel,
  judgeVersion: row.judgeVersion,
  state: row.state,
  endedBecause: row.endedBecause,
  endedAt: row.endedAt,
  fault: row.fault,
  spentUsd: row.spentUsd,
  inputs: row.inputs,
  createdAt: row.createdAt,
  createdBy: row.createdBy,
  createdByName: row.createdByName,
  changedAt: row.changedAt,
  hasTexts: row.hasTexts === 1,
});

/**
 * Changes a rehearsal's row, which also locks it. In PostgreSQL, the rest of the transaction then sees everything that others
 * committed before. Undefined if the rehearsal does not exist.
 */
export const updateRehearsal = (
  db: Kysely<Database>,
  { orgId, id }: Key,
  change: Updateable<Database["rehearsals"]>,
): Promise<RehearsalRow | undefined> =>
  db
    .updateTable("rehearsals")
    .set(change)
    .where("orgId", "=", orgId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();

/** The conditions of a request that is pending under the task's claim. */
export const claimedBy = ({ rehearsal, place, step, claim }: RehearsalTask) => ({
  ...{ rehearsalId: rehearsal.id, place, step, claim },
  state: "pending" as const,
});

export const rehearsalNotFound = (): DomainError =>
  new DomainError("rehearsal-not-found", "No rehearsal with this id exists in this organization.");
