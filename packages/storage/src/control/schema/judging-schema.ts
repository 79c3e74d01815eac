import type { Day, JudgementFailure, JudgementState } from "@assay/domain";
import type { Generated } from "kysely";

/** Columns that name a series: one judge of one metric. */
interface SeriesColumns {
  orgId: string;
  experimentId: string;
  metric: string;
  metricVersion: number;
}

/** The draw from one day's calls. */
export interface JudgingPlanTable extends SeriesColumns {
  day: Day;
  judgeVersion: string;
  /** JSON: judgeable calls by arm. */
  calls: string;
  /** JSON: first judgements by arm. Makes counting the scored ones unnecessary. */
  drawn: string;
  plannedAt: number;
}

/** A judgement, pending or made. */
export interface JudgementTable extends SeriesColumns {
  id: string;
  eventId: string;
  isRepeat: number;
  judgeVersion: string;
  day: Day;
  userId: string;
  /** Null when the unit is the user. */
  unitId: string | null;
  arm: string;
  occurredAt: number;
  probability: number;
  drawOrder: number;
  hasFailed: number;
  /** When it was drawn, or became pending again. */
  drawnAt: number;
  changedAt: number;
  state: Generated<JudgementState>;
  /** The end of the lease while it is claimed. */
  notBefore: Generated<number>;
  claim: string | null;
  attempts: Generated<number>;
  score: number | null;
  reason: string | null;
  answerLength: number | null;
  isCut: Generated<number>;
  cause: JudgementFailure | null;
  detail: string | null;
  inputTokens: Generated<number>;
  outputTokens: Generated<number>;
  costUsd: number | null;
  judgedAt: number | null;
}

/** Costs of judging, by the day of the attempt. */
export interface JudgingCostTable extends SeriesColumns {
  day: Day;
  evaluations: number;
  costUsd: number;
  unpriced: number;
}

/** A person's score of a judged call. */
export interface LabelTable extends SeriesColumns {
  id: string;
  eventId: string;
  score: number | null;
  note: string | null;
  labelledBy: string;
  labelledByName: string;
  labelledAt: number;
  isDrawn: number;
}
