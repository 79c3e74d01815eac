import type { UsageMonth } from "../metering/usage-month.ts";
import type { Day } from "../time/day.ts";
import type { Page, PageQuery } from "./page.ts";

/** The scores of one judge of one metric: those of another `metricVersion` are not comparable with them. */
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
  /** That of the user's first exposure. */
  readonly arm: string;
  readonly occurredAt: number;
  /** With which the call was drawn, above 0 to 1: it counts 1 / probability times. */
  readonly probability: number;
  /** Hash of 32 bits: calls are judged, and shown to people, in its order, so that arms mix. */
  readonly order: number;
  /** Judged a second time, to see how far the judge agrees with itself. */
  readonly isRepeated: boolean;
  /** The model call failed: it has the smallest score, and nobody is asked. */
  readonly hasFailed: boolean;
}

/** What was drawn from one UTC day's calls. */
export interface JudgingPlan extends JudgedSeries {
  readonly day: Day;
  /** `judgeVersion` of the judge that scores them. */
  readonly judgeVersion: string;
  /** Calls that could have been drawn, by arm. */
  readonly calls: Readonly<Record<string, number>>;
  readonly plannedAt: number;
}

/** A judgement to be made: of a call, or the second of it. */
export interface JudgementKey extends JudgedSeries {
  readonly eventId: string;
  readonly isRepeat: boolean;
}

export interface JudgementTask extends JudgementKey {
  /** Of the claim: `settle` knows by it whether another process has taken over. */
  readonly claim: string;
  readonly judgeVersion: string;
  readonly userId: string;
  readonly day: Day;
  /** As in `DrawnCall`. */
  readonly hasFailed: boolean;
  /** Attempts before this one, since it was drawn or taken up again. */
  readonly attempts: number;
  /** When it was drawn, or taken up again (`retryFailed`). */
  readonly drawnAt: number;
}

/** What the requests of one attempt took. */
export interface JudgeUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null: the model has no price. */
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
  /** The metric was changed, or is judged no more: nothing reads the score. */
  "superseded",
] as const;
export type JudgementFailure = (typeof JUDGEMENT_FAILURES)[number];

export type JudgementOutcome =
  | {
      readonly kind: "scored";
      readonly score: number;
      readonly reason: string;
      /** Of the answer, in characters. */
      readonly answerLength: number;
    }
  /** For good: only `retryFailed` takes it up again. */
  | { readonly kind: "failed"; readonly cause: JudgementFailure; readonly detail: string }
  /** Not before `notBefore`. An attempt that never reached the judge does not count as one. */
  | {
      readonly kind: "postponed";
      readonly cause: JudgementFailure;
      readonly detail: string;
      readonly notBefore: number;
      readonly isAttempt: boolean;
    };

export interface SettledJudgement {
  readonly outcome: JudgementOutcome;
  /** Null: nothing was asked. */
  readonly usage: JudgeUsage | null;
  readonly at: number;
}

export interface Settlement {
  readonly task: JudgementTask;
  /** `month`: in which an evaluation counts. */
  readonly settled: SettledJudgement & { readonly month: UsageMonth };
}

export const JUDGEMENT_STATES = ["pending", "scored", "failed"] as const;
export type JudgementState = (typeof JUDGEMENT_STATES)[number];

/** A judgement as it stands. */
export interface Judgement extends JudgementKey {
  readonly judgeVersion: string;
  readonly userId: string;
  readonly arm: string;
  readonly occurredAt: number;
  readonly probability: number;
  readonly state: JudgementState;
  readonly score: number | null;
  readonly reason: string | null;
  /** Why the last attempt brought no score; null once there is one. */
  readonly cause: JudgementFailure | null;
  readonly detail: string | null;
  readonly attempts: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
  readonly judgedAt: number | null;
  /** A person's; null: none, or one who could not tell. */
  readonly labelScore: number | null;
}

/** A scored call as analyses read it. */
export interface ScoredCall {
  readonly eventId: string;
  readonly userId: string;
  /** As drawn. */
  readonly arm: string;
  readonly occurredAt: number;
  readonly probability: number;
  readonly score: number;
  /** Of the second judgement; null: none, or not yet. */
  readonly repeatScore: number | null;
  readonly answerLength: number;
  /** Of a person who was shown the call at random; null: none. */
  readonly label: number | null;
}

/** A person's score of a judged call. */
export interface Label extends JudgedSeries {
  readonly eventId: string;
  /** Null: the person could not tell. */
  readonly score: number | null;
  readonly note: string | null;
  readonly labelledBy: string;
  /** The email address where no name is known. */
  readonly labelledByName: string;
  readonly labelledAt: number;
  /** The call was shown at random: only such labels correct the judge. One that somebody chose shows agreement, no more. */
  readonly isDrawn: boolean;
}

/** A label beside what the judge said of the same call. */
export interface ComparedLabel extends Label {
  readonly arm: string;
  readonly judgeScore: number;
  readonly judgeReason: string;
}

/** How far the judging of a series is. Instants in epoch milliseconds, money in US dollars. */
export interface SeriesSummary extends JudgedSeries {
  readonly judgeVersion: string;
  readonly firstDay: Day;
  readonly lastDay: Day;
  /** First judgements, repeats left out; labels that have a score. */
  readonly arms: Readonly<
    Record<
      string,
      { readonly pending: number; readonly scored: number; readonly failed: number; readonly labels: number }
    >
  >;
  /** Pending judgements, repeats among them. */
  readonly backlog: number;
  readonly oldestPendingAt: number | null;
  readonly failures: readonly { readonly cause: JudgementFailure; readonly count: number }[];
  /** Scores that the judge was asked for, repeats among them: what the plan counts. `…Since`: from the UTC day of `since` on. */
  readonly evaluations: number;
  readonly evaluationsSince: number;
  readonly costUsd: number;
  readonly costUsdSince: number;
  /** Judgements that had tokens and no price. */
  readonly unpriced: number;
  readonly lastLabelledAt: number | null;
}

/** A judged call that waits for a person, without what would give the variant or the judge away. */
export interface LabelCandidate {
  readonly eventId: string;
  readonly arm: string;
  readonly occurredAt: number;
  readonly order: number;
  /** The model call failed: its score is no judge's, and the user got no answer. */
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

/** Draws, judgements and labels. Every method names the org, except `claim`. */
export interface JudgementStore {
  /** The version that the series' first plan was made with; null before it. */
  findJudgeVersion(series: JudgedSeries): Promise<string | null>;
  listPlannedDays(series: JudgedSeries): Promise<readonly Day[]>;
  /** Stores a day's plan and its draws together; false, and nothing happens, when the day is planned already. */
  putPlan(plan: JudgingPlan, drawn: readonly DrawnCall[]): Promise<boolean>;
  /** Judgements that are still to be made: of the org, or of all for null. */
  countPending(orgId: string | null): Promise<number>;
  /**
   * Takes up to `limit` pending judgements for this process until `leaseUntil`, by day and order; those of another claim only once
   * its lease is over. `experimentId` narrows it; absent: of all orgs, demos left out, which their loader judges.
   */
  claim(request: {
    readonly now: number;
    readonly leaseUntil: number;
    readonly limit: number;
    readonly claim: string;
    readonly experimentId?: string;
  }): Promise<readonly JudgementTask[]>;
  /**
   * Ends attempts: the judgements, what they cost and, for scores that the judge was asked for, the month's count of evaluations are
   * written together. Tells of each: false, and nothing happens, when its claim is lost or the judgement is made already.
   */
  settleAll(settlements: readonly Settlement[]): Promise<readonly boolean[]>;
  /** `settleAll` of one. */
  settle(task: JudgementTask, settled: Settlement["settled"]): Promise<boolean>;
  /** Moves the end of the leases of claims that are still held. */
  renew(claims: readonly string[], leaseUntil: number): Promise<void>;
  /** Whether some process has a lease of judgements of the experiment. */
  hasLease(orgId: string, experimentId: string, now: number): Promise<boolean>;
  /** Gives claimed judgements back unattempted: the process stops. */
  release(tasks: readonly JudgementTask[]): Promise<void>;
  /** Gives every claim back: those of a process that died, where no other can have any. */
  releaseAll(): Promise<void>;
  /** Makes failed judgements pending again, their attempts counted anew; returns how many. */
  retryFailed(series: JudgedSeries, now: number): Promise<number>;
  /** One entry per series that has a plan; `evaluationsSince` and `costUsdSince` count from the UTC day of `since` on. */
  summarize(query: {
    readonly orgId: string;
    readonly experimentId?: string;
    readonly since: number;
  }): Promise<readonly SeriesSummary[]>;
  /** First judgements and repeats, those that changed last first. */
  list(query: JudgementQuery): Promise<Page<Judgement>>;
  /** First judgements of these events, of every series of the experiment. */
  listOfEvents(
    orgId: string,
    experimentId: string,
    eventIds: readonly string[],
  ): Promise<readonly Judgement[]>;
  /** Scored calls that occurred before `until`, by event id: at most `limit` after the event `after`. */
  listScored(
    series: JudgedSeries,
    range: { readonly until: number; readonly after: string | null; readonly limit: number },
  ): Promise<readonly ScoredCall[]>;
  /** Scored calls that nobody has labelled, at most `perArm` of each arm, by order. */
  listUnlabelled(
    series: JudgedSeries,
    range: { readonly occurredFrom: number; readonly perArm: number },
  ): Promise<readonly LabelCandidate[]>;
  /** Finds the label of a call. */
  findLabel(series: JudgedSeries, eventId: string): Promise<Label | null>;
  /** Stores a label; one of the same call is replaced, and once drawn it stays so. */
  putLabel(label: Label): Promise<void>;
  /** Newest first. */
  listLabels(query: LabelQuery): Promise<Page<ComparedLabel>>;
  /** Every label of the series that has a score, by event id. */
  listCompared(series: JudgedSeries): Promise<readonly ComparedLabel[]>;
}
