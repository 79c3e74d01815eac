import type {
  JudgementFailure,
  Preference,
  RehearsalEnd,
  RehearsalRequest,
  RehearsalState,
} from "@assay/domain";
import type { Generated } from "kysely";

/** A rehearsal. JSON: `plan` and `prices`. */
export interface RehearsalTable {
  id: string;
  orgId: string;
  plan: string;
  prices: string;
  stopWhenEnough: number;
  judgeModel: string;
  judgeVersion: string;
  state: RehearsalState;
  endedBecause: RehearsalEnd | null;
  endedAt: number | null;
  fault: string | null;
  spentUsd: Generated<number>;
  /** Number of rows in `rehearsalInputs`. */
  inputs: number;
  /** The last place for which answers are requested. */
  opened: Generated<number>;
  createdAt: number;
  createdBy: string;
  createdByName: string;
  changedAt: number;
  claimedAt: Generated<number>;
  hasTexts: Generated<number>;
}

/** The inputs of a rehearsal in their drawn order. */
export interface RehearsalInputTable {
  rehearsalId: string;
  orgId: string;
  place: number;
  itemId: string;
  position: number;
  userId: string | null;
  probability: number;
  characters: number;
  finishedAt: number | null;
}

/** A request about an input, pending or settled. `arm` is its number in the plan. */
export interface RehearsalRequestTable {
  rehearsalId: string;
  orgId: string;
  place: number;
  step: number;
  kind: RehearsalRequest["kind"];
  arm: number;
  repeat: number;
  first: RehearsalRequest["first"];
  state: Generated<"pending" | "done" | "failed">;
  notBefore: Generated<number>;
  claim: string | null;
  attempts: Generated<number>;
  estimateUsd: number;
  preference: Preference | null;
  score: number | null;
  length: number | null;
  latencyMs: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  costUsd: number | null;
  cause: JudgementFailure | null;
  settledAt: number | null;
  detail: string | null;
  reason: string | null;
  text: string | null;
}

/** A person's blind pick in a pair of answers; the latest one counts. */
export interface RehearsalPickTable {
  rehearsalId: string;
  orgId: string;
  place: number;
  arm: number;
  repeat: number;
  preference: Preference;
  pickedBy: string;
  pickedByName: string;
  pickedAt: number;
}

/** An experiment that tests arms of a rehearsal. JSON: `rows`, the rehearsal's results when the experiment was started. */
export interface RehearsalExperimentTable {
  experimentId: string;
  orgId: string;
  rehearsalId: string;
  rows: string;
  startedAt: number;
  startedBy: string;
  startedByName: string;
}
