import type { UsageMonth } from "../metering/usage-month.ts";
import type { Day } from "../time/day.ts";
import type { Erasure } from "./erasures.ts";
import type { Page, PageQuery } from "./page.ts";

/** The scores of one judge of one metric; scores of two `metricVersion`s are not comparable. */
export interface JudgedSeries {
  readonly orgId: string;
  readonly experimentId: string;
  readonly metric: string;
  readonly metricVersion: number;
}

/** A call that was drawn to be judged. */
export interface DrawnCall {
  readonly eventId: string;
  readonly userId: string;
  /** The unit, which is judged up to this call; null if the unit is the user. */
  readonly unitId: string | null;
  /** The arm of the user's first exposure. */
  readonly arm: string;
  readonly occurredAt: number;
  /** Probability of the draw, at most 1: the call counts 1 / probability times. 0: judged early, and counts in no result. */
  readonly probability: number;
  /** A 32-bit hash. Calls are judged and shown to people in this order, so that arms mix. */
  readonly order: number;
  /** Judged a second time, to measure how far the judge agrees with itself. */
  readonly isRepeated: boolean;
  /** The model call failed: it gets the lowest score without asking the judge. */
  readonly hasFailed: boolean;
}

/** The draw from one UTC day's calls. */
export interface JudgingPlan extends JudgedSeries {
  readonly day: Day;
  /** `judgeVersion` of the judge that scores them. */
  readonly judgeVersion: string;
  /** Calls that could have been drawn, by arm. */
  readonly calls: Readonly<Record<string, number>>;
  readonly plannedAt: number;
}

/** Identifies a judgement: the first or the second one of a call. */
export interface JudgementKey extends JudgedSeries {
  readonly eventId: string;
  readonly isRepeat: boolean;
}

export interface JudgementTask extends JudgementKey {
  /** Id of the claim, by which `settle` knows whether another process has taken over. */
  readonly claim: string;
  readonly judgeVersion: string;
  readonly userId: string;
  /** As in `DrawnCall`. */
  readonly unitId: string | null;
  readonly occurredAt: number;
  readonly day: Day;
  /** As in `DrawnCall`. */
  readonly hasFailed: boolean;
  /** Earlier attempts since it was drawn or retried. */
  readonly attempts: number;
  /** When it was drawn, or retried (`retryFailed`). */
  readonly drawnAt: number;
}

/** Tokens and cost of the requests of one attempt. */
export interface JudgeUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null if the model has no price. */
  readonly costUsd: number | null;
}

/** Why a judgement failed for good. */
export const JUDGEMENT_FAILURES = [
  "refused",
  "malformed-answer",
  "text-expired",
  "rejected",
  "rate-limited",
  "timed-out",
  "server-error",
  "unreachable",
  /** The metric was changed or is no longer judged, so nothing reads the score. */
  "superseded",
] as const;
export type JudgementFailure = (typeof JUDGEMENT_FAILURES)[number];

export type JudgementOutcome =
  | {
      readonly kind: "scored";
      readonly score: number;
      readonly reason: string;
      /** In characters; for a transcript, the length of all of it. */
      readonly answerLength: number;
      /** The judge saw a part of the transcript. */
      readonly isCut: boolean;
    }
  /** Failed for good: only `retryFailed` makes it pending again. */
  | { readonly kind: "failed"; readonly cause: JudgementFailure; readonly detail: string }
  /** The next attempt may begin at `notBefore`. `isAttempt` is false if the judge was never reached. */
  | {
      readonly kind: "postponed";
      readonly cause: JudgementFailure;
      readonly detail: string;
      readonly notBefore: number;
      readonly isAttempt: boolean;
    };

export interface SettledJudgement {
  readonly outcome: JudgementOutcome;
  /** Null if the judge was not asked. */
  readonly usage: JudgeUsage | null;
  readonly at: number;
}

export interface Settlement {
  readonly task: JudgementTask;
  /** `month`: the usage month that an evaluation counts in. */
  readonly settled: SettledJudgement & { readonly month: UsageMonth };
}

export const JUDGEMENT_STATES = ["pending", "scored", "failed"] as const;
export type JudgementState = (typeof JUDGEMENT_STATES)[number];

/** A judgement in its current state. */
export interface Judgement extends JudgementKey {
  readonly judgeVersion: string;
  readonly userId: string;
  /** As in `DrawnCall`. */
  readonly unitId: string | null;
  readonly arm: string;
  readonly occurredAt: number;
  readonly probability: number;
  readonly state: JudgementState;
  readonly score: number | null;
  readonly reason: string | null;
  /** Why the last attempt gave no score; null once there is one. */
  readonly cause: JudgementFailure | null;
  readonly detail: string | null;
  readonly attempts: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
  readonly judgedAt: number | null;
  /** A person's score; null without a label, or if the person could not tell. */
  readonly labelScore: number | null;
}

/** A scored call as an analysis reads it. */
export interface ScoredCall {
  readonly eventId: string;
  /** The unit's id if the unit is not the user. */
  readonly userId: string;
  /** The arm it was drawn from. */
  readonly arm: string;
  readonly occurredAt: number;
  readonly probability: number;
  readonly score: number;
  /** Score of the second judgement; null without one. */
  readonly repeatScore: number | null;
  readonly answerLength: number;
  /** The judge saw a part of the transcript. */
  readonly isCut: boolean;
  /** Score of a person who was shown the call at random; null without one. */
  readonly label: number | null;
}

/** A person's score of a judged call. */
export interface Label extends JudgedSeries {
  readonly eventId: string;
  /** Null if the person could not tell. */
  readonly score: number | null;
  readonly note: string | null;
  readonly labelledBy: string;
  /** The email address if no name is known. */
  readonly labelledByName: string;
  readonly labelledAt: number;
  /** The call was shown at random. Only such labels correct the judge; labels of chosen calls only measure agreement. */
  readonly isDrawn: boolean;
}

/** A label with the judge's score of the same call. */
export interface ComparedLabel extends Label {
  readonly arm: string;
  readonly judgeScore: number;
  readonly judgeReason: string;
}

/** Progress of the judging of a series. Times in epoch milliseconds, costs in US dollars. */
export interface SeriesSummary extends JudgedSeries {
  readonly judgeVersion: string;
  readonly firstDay: Day;
  readonly lastDay: Day;
  /** Counts of first judgements (without repeats) and of labels with a score. */
  readonly arms: Readonly<
    Record<
      string,
      { readonly pending: number; readonly scored: number; readonly failed: number; readonly labels: number }
    >
  >;
  /** Pending judgements, repeats included. */
  readonly backlog: number;
  readonly oldestPendingAt: number | null;
  readonly failures: readonly { readonly cause: JudgementFailure; readonly count: number }[];
  /**
   * Scores that the judge was asked for, including repeats, as the plan counts them. `…Since`: since the UTC day of
   * `since`.
   */
  readonly evaluations: number;
  readonly evaluationsSince: number;
  readonly costUsd: number;
  readonly costUsdSince: number;
  /** Judgements that used tokens without a price. */
  readonly unpriced: number;
  readonly lastLabelledAt: number | null;
}

/** A judged call that waits for a label, without anything that reveals the variant or the judge's score. */
export interface LabelCandidate {
  readonly eventId: string;
  /** As in `DrawnCall`. */
  readonly unitId: string | null;
  readonly arm: string;
  readonly occurredAt: number;
  readonly order: number;
  /** The model call failed: the user got no answer, and the score does not come from the judge. */
  readonly hasFailed: boolean;
}

export interface JudgementQuery extends PageQuery {
  readonly series: Pick<JudgedSeries, "orgId" | "experimentId"> & Partial<JudgedSeries>;
  readonly state?: JudgementState;
}

export interface LabelQuery extends PageQuery {
  readonly series: Pick<JudgedSeries, "orgId" | "experimentId"> & Partial<JudgedSeries>;
  /** Only labels with a score that differs from the judge's by more than this. */
  readonly differsBy?: number;
}

/** Draws, judgements and labels. Every method except `claim` names the org. */
export interface JudgementStore {
  /** The judge version of the series' first plan or early judgements; null before them. */
  findJudgeVersion(series: JudgedSeries): Promise<string | null>;
  /** Days with a plan, not those with early judgements only. */
  listPlannedDays(series: JudgedSeries): Promise<readonly Day[]>;
  /**
   * Stores a day's plan with its draws. If the day already has a plan, stores nothing and returns false. Calls that were judged early
   * keep their score and get their probability.
   */
  putPlan(plan: JudgingPlan, drawn: readonly DrawnCall[]): Promise<boolean>;
  /**
   * Stores calls of a day that is not drawn yet, so that they are judged at once; at most `limit` per day. Their probability is 0 until
   * the day's plan draws them. Returns the day's number of early calls. If the day has a plan, stores nothing and returns null.
   */
  putEarly(
    plan: Omit<JudgingPlan, "calls">,
    calls: readonly DrawnCall[],
    limit: number,
  ): Promise<number | null>;
  /** Pending judgements of the org, or of all orgs for null. */
  countPending(orgId: string | null): Promise<number>;
  /**
   * Leases up to `limit` pending judgements to this process until `leaseUntil`, by day and order. Judgements that are leased already can
   * be claimed once that lease has expired. Without `experimentId`, it claims for all orgs, except demos, which their loader judges.
   */
  claim(request: {
    readonly now: number;
    readonly leaseUntil: number;
    readonly limit: number;
    readonly claim: string;
    readonly experimentId?: string;
  }): Promise<readonly JudgementTask[]>;
  /**
   * Stores the outcomes of attempts in one transaction: the judgements, their costs and, for scores that the judge was
   * asked for, the month's count of evaluations. If a claim was lost or the judgement already exists, returns false for
   * the outcome and stores nothing for it.
   */
  settleAll(settlements: readonly Settlement[]): Promise<readonly boolean[]>;
  /** `settleAll` for a single outcome. */
  settle(task: JudgementTask, settled: Settlement["settled"]): Promise<boolean>;
  /** Extends the leases of claims that are still valid. */
  renew(claims: readonly string[], leaseUntil: number): Promise<void>;
  /** Returns whether any process holds a lease on judgements of the experiment. */
  hasLease(orgId: string, experimentId: string, now: number): Promise<boolean>;
  /** Returns claimed judgements without an attempt, because the process stops. */
  release(tasks: readonly JudgementTask[]): Promise<void>;
  /** Releases every claim. Only for a process that has its database to itself: the claims were left by a killed predecessor. */
  releaseAll(): Promise<void>;
  /** Makes failed judgements pending again and resets their attempts; returns how many. */
  retryFailed(series: JudgedSeries, now: number): Promise<number>;
  /** One summary per series with a plan or early judgements. `evaluationsSince` and `costUsdSince` start on the UTC day of `since`. */
  summarize(query: {
    readonly orgId: string;
    readonly experimentId?: string;
    readonly since: number;
  }): Promise<readonly SeriesSummary[]>;
  /** First judgements and repeats, last changed first. */
  list(query: JudgementQuery): Promise<Page<Judgement>>;
  /** First judgements of these events in every series of the experiment. */
  listOfEvents(
    orgId: string,
    experimentId: string,
    eventIds: readonly string[],
  ): Promise<readonly Judgement[]>;
  /** Scored calls of plans that occurred before `until`, ordered by event id: at most `limit` after the event `after`. */
  listScored(
    series: JudgedSeries,
    range: { readonly until: number; readonly after: string | null; readonly limit: number },
  ): Promise<readonly ScoredCall[]>;
  /** Unlabelled calls that are scored or wait for a score, at most `perArm` per arm, by `order`. */
  listUnlabelled(
    series: JudgedSeries,
    range: { readonly occurredFrom: number; readonly perArm: number },
  ): Promise<readonly LabelCandidate[]>;
  /** Returns whether `listUnlabelled` lists a call. */
  isUnlabelled(
    series: JudgedSeries,
    eventId: string,
    range: { readonly occurredFrom: number; readonly perArm: number },
  ): Promise<boolean>;
  /** Finds the label of a call. */
  findLabel(series: JudgedSeries, eventId: string): Promise<Label | null>;
  /** Stores a label; replaces an earlier one of the same call. Once `isDrawn` is true, it stays true. */
  putLabel(label: Label): Promise<void>;
  /** Newest first. */
  listLabels(query: LabelQuery): Promise<Page<ComparedLabel>>;
  /** Every label of the series with a score, ordered by event id. */
  listCompared(series: JudgedSeries): Promise<readonly ComparedLabel[]>;
  /**
   * Removes the draws, judgements and labels of users' calls; costs and counted evaluations stay. Returns the number of removed
   * judgements. `requestedAt` is ignored, because a draw does not record when its call was received.
   */
  eraseUsers(users: readonly Pick<Erasure, "orgId" | "userId">[]): Promise<number>;
}
