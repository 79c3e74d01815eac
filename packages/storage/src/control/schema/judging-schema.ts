import type { Day, JudgementFailure, JudgementState } from "@assay/domain";
import type { Generated } from "kysely";

/** Of one judge of one metric. */
interface SeriesColumns {
  orgId: string;
  experimentId: string;
  metric: string;
  metricVersion: number;
}

/** What was drawn from a day's calls. */
export interface JudgingPlanTable extends SeriesColumns {
  day: Day;
  judgeVersion: string;
  /** JSON: judgeable calls by arm. */
  calls: string;
  /** JSON: first judgements by arm, so that nobody has to count those that are made. */
  drawn: string;
  plannedAt: number;
}

/** A judgement, made or to be made. */
export interface JudgementTable extends SeriesColumns {
  id: string;
  eventId: string;
  isRepeat: number;
  judgeVersion: string;
  day: Day;
  userId: string;
  arm: string;
  occurredAt: number;
  probability: number;
  drawOrder: number;
  hasFailed: number;
  /** Or taken up again. */
  drawnAt: number;
  changedAt: number;
  state: Generated<JudgementState>;
  /** The end of the lease while somebody has claimed it. */
  notBefore: Generated<number>;
  claim: string | null;
  attempts: Generated<number>;
  score: number | null;
  reason: string | null;
  answerLength: number | null;
  cause: JudgementFailure | null;
  detail: string | null;
  inputTokens: Generated<number>;
  outputTokens: Generated<number>;
  costUsd: number | null;
  judgedAt: number | null;
}

/** What judging took, by the day of the attempt. */
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
