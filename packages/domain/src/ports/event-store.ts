import type { ExclusionEffect } from "../attribution/exclusion-effect.ts";
import type { ExclusionMatch, ExperimentExclusions } from "../attribution/exclusions.ts";
import type { StoredEvent } from "../event/event.ts";
import type { EventSource } from "../event/sources.ts";
import type { MetricCap, MetricKind, MetricSource } from "../experiment/metric.ts";
import type { UsageMonth } from "../metering/usage-month.ts";
import type { ModelPrice } from "../price/model-price.ts";
import type { Day } from "../time/day.ts";
import type { AttributionFacts } from "./attribution-facts.ts";
import type { ComparedCall, ComparedCallsQuery } from "./compared-events.ts";
import type { Erasure } from "./erasures.ts";
import type { ExperimentEvents } from "./experiment-events.ts";
import type {
  CallTexts,
  FirstExposure,
  FirstExposureQuery,
  JudgeableCall,
  JudgeableCount,
  JudgeableQuery,
  JudgeableQuotas,
} from "./judgeable.ts";
import type { Page } from "./page.ts";
import type { EventPreview, Outcome, OutcomeQuery, RawEventQuery, RawEventRef } from "./raw-events.ts";
import type { UserEvent, UserEventQuery } from "./user-events.ts";

/** A metric as the event store computes it: one value y (and denominator d) per user. */
export interface MetricQuery {
  readonly name: string;
  /**
   * binary: y = 1 when the user had a value other than 0; mean: the sum of the values, zeros included; ratio and quantile:
   * the sum of the values over their count d; ordinal: the mean of the user's values.
   */
  readonly kind: MetricKind;
  readonly source: Exclude<MetricSource, { event: "judge" }>;
  readonly windowDays: number | null;
  /** Winsorises a user's y of kind mean, at a value or at the quantile over the users of all arms together. */
  readonly cap: MetricCap | null;
  /** Sources of events whose values count; null: all. */
  readonly acceptFrom: readonly EventSource[] | null;
}

/** Which users' own values an analysis needs besides the sums. */
export interface SampleQuery {
  /** Users per arm at most: those with the smallest hash of experiment and user, the same ones night after night. */
  readonly maxUsersPerArm: number;
  /** Whole UTC days before the day of the first exposure whose values become the covariate x. */
  readonly preDays: number;
  /** Also says who the users are, and has a sample of binary metrics: for those who check a row by its users. */
  readonly withUserIds?: true;
}

export interface AnalysisQuery extends ExperimentEvents {
  /** Exclusive cut-off, epoch milliseconds: later events do not exist for this query. */
  readonly until: number;
  /** Starts of the allocation periods after the first, ascending: a user belongs to the period of the first exposure. */
  readonly periodStarts: readonly number[];
  readonly metrics: readonly MetricQuery[];
  /** Price the calls that carry no cost; one per model. */
  readonly prices: readonly ModelPrice[];
  /** Null: sums only. */
  readonly sample: SampleQuery | null;
}

/** Users by first exposure. */
export interface ArmExposure {
  readonly arm: string;
  readonly period: number;
  /** Distinct users, test users and contaminated users included: what the SRM gate counts. */
  readonly users: number;
  /** Of them, test users (`svc-test-`). */
  readonly testUsers: number;
  /** Of them, users seen in more than one arm, set apart from every metric. */
  readonly contaminatedUsers: number;
  /** Of them, users with more than 1,000 model calls per day between their first and last call. */
  readonly heavyUsers: number;
  /** Users by the UTC day of their first exposure. */
  readonly usersByDay: ReadonlyMap<Day, number>;
}

/** One value per user and kind of value, all in the same order: that of the users' hashes. */
export interface UserValues {
  readonly type: "values";
  readonly y: Float64Array;
  /** Calls with a value, for ratio; 1 otherwise. */
  readonly d: Float64Array;
  /** The same two from the days before the first exposure, over all the org's experiments, with the same cap; NaN in both: no data. */
  readonly preY: Float64Array;
  readonly preD: Float64Array;
  /** Only when the query asked for them. */
  readonly userIds?: readonly string[];
}

/** Each user's calls by fine bin, in the order of the users' hashes: user i owns entries offsets[i] to offsets[i + 1], bins ascending. */
export interface UserBins {
  readonly type: "bins";
  readonly bins: Int32Array;
  readonly counts: Uint32Array;
  readonly offsets: Uint32Array;
  /** Only when the query asked for them. */
  readonly userIds?: readonly string[];
}

/** One metric's sums over the users of one arm and period. Centred sums: m2 = Σ(y − mean)², c = Σ(y − meanY)(d − meanD). */
export interface ArmMetric {
  readonly metric: string;
  readonly arm: string;
  readonly period: number;
  /** Users in the sample: exposed and matured; for ratio, quantile and ordinal only those with d > 0. */
  readonly users: number;
  /** Events that gave the metric a value; for binary every user in the sample counts as one (contract §9). */
  readonly events: number;
  readonly meanY: number;
  readonly m2Y: number;
  readonly meanD: number;
  readonly m2D: number;
  readonly cYD: number;
  /** Counts by fine log bin (`stats/histogram.ts`): per call for ratio and quantile, per user otherwise. */
  readonly fineCounts: ReadonlyMap<number, number>;
  /** Null when no sample was asked for, and for binary, whose sums say all, unless the users' ids were asked for. */
  readonly sample: UserValues | UserBins | null;
}

export interface ArmSnapshot {
  readonly exposures: readonly ArmExposure[];
  readonly metrics: readonly ArmMetric[];
  /** Outcomes of exposed users that are in no other count below. */
  readonly outcomes: number;
  /** Outcomes that did not count: before the user's first exposure, or under another variant than the first. */
  readonly droppedPreExposure: number;
  readonly variantConflicts: number;
  readonly firstExposureAt: number | null;
}

export interface BaselineQuery {
  readonly orgId: string;
  /** Half-open window, epoch milliseconds. */
  readonly from: number;
  readonly until: number;
  readonly metrics: readonly MetricQuery[];
  /** Price the calls that carry no cost; one per model. */
  readonly prices: readonly ModelPrice[];
  /** Experiments whose events do not count; all count when absent. */
  readonly exceptExperimentIds?: readonly string[];
  readonly exclusions: readonly ExperimentExclusions[];
}

/** What an org's users did in a window, whatever the experiment: for planning the next one. */
export interface Baseline {
  /** Sums per metric as if all users were one arm and exposed when the window opens; a metric without data is absent. */
  readonly metrics: readonly Omit<ArmMetric, "arm" | "period" | "sample">[];
  /** Users by the UTC day of their first event in the window. */
  readonly usersByDay: ReadonlyMap<Day, number>;
}

export interface FactsQuery extends ExperimentEvents {
  /** Exclusive cut-off, epoch milliseconds. */
  readonly until: number;
  readonly prices: readonly ModelPrice[];
  /** The model that each variant is configured with; a variant that names none is not in it. */
  readonly configuredModels: Readonly<Record<string, string>>;
}

/** How many events or users have a fault, and when the first of them occurred (epoch milliseconds; null: none). */
export interface Finding {
  readonly count: number;
  readonly since: number | null;
}

/** What an experiment's events tell about their quality, by arm: the variant of the user's first exposure; '' for users without one. */
export interface ArmHealth {
  readonly arm: string;
  /** Users with an exposure. */
  readonly users: number;
  readonly events: number;
  readonly calls: number;
  /** Calls without an error, of which usage, price and truncation are judged. */
  readonly completedCalls: number;
  /** Completed calls without input or output tokens. */
  readonly missingUsage: Finding;
  /** Completed calls that have neither a cost nor tokens of a model with a price. */
  readonly unpriced: Finding;
  readonly errors: Finding;
  /** Completed calls that ended because the model ran out of tokens. */
  readonly truncated: Finding;
  /** Calls whose stream was cut short, so that some of their tokens are an estimate. */
  readonly cutStreams: Finding;
  /** Completed calls that name a model, in arms with a configured or requested model. */
  readonly callsWithModel: number;
  /** Of them, those answered by another model. */
  readonly otherModel: Finding;
  /** Tokens of completed calls that report both. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  /** Events received more than 24 h after they occurred. */
  readonly late: Finding;
  /** Events stamped more than 5 minutes after they were received: a clock that is ahead. */
  readonly future: Finding;
  /** Users exposed to more than one variant; `since`: the first exposure to a second one. */
  readonly severalVariants: Finding;
  /** Outcomes that name another variant than the user's first exposure. */
  readonly variantConflicts: Finding;
  /** Exposures of test users (`svc-test-`). */
  readonly testEvents: Finding;
  /** Models that answered, with the completed calls of each and whether they could be priced; at most 50, most used first. */
  readonly models: readonly {
    readonly model: string;
    readonly calls: number;
    readonly unpricedCalls: number;
  }[];
}

export interface EventFacts {
  /** The quality of the events, sorted by arm. */
  readonly health: readonly ArmHealth[];
  readonly attribution: AttributionFacts;
}

/** Raw events of these orgs that were received before the instant (epoch milliseconds) may go. */
export interface RetentionRule {
  readonly orgIds: readonly string[];
  readonly receivedBefore: number;
}

export interface TrafficPoint {
  readonly day: Day;
  readonly variant: string;
  readonly exposures: number;
  readonly users: number;
}

/** Exposures of one variant in the UTC minute that begins at `at` (epoch milliseconds). */
export interface MinuteOfExposures {
  readonly at: number;
  readonly variant: string;
  readonly exposures: number;
}

/** Exposures of an experiment to one variant. */
export interface ExposureCount {
  readonly experimentId: string;
  readonly variant: string;
  /** Distinct users, test users included; one who was exposed to several variants counts in each. */
  readonly users: number;
  readonly exposures: number;
  /** UTC day of the newest. */
  readonly lastOn: Day;
}

/** Asks about all events of users, those that are set aside too. */
export interface FirstSeenQuery {
  readonly orgId: string;
  readonly experimentId: string;
  readonly userIds: readonly string[];
  /** Exclusive cut-off, epoch milliseconds. */
  readonly until: number;
}

/** Append-only store of raw events and of the thin analysis log. Every query names the org, except `countByDay`. */
export interface EventStore {
  /** Creates or upgrades the tables; safe to call again. */
  migrate(): Promise<void>;
  /** Stores events once: an `(orgId, eventId)` that is stored already, or stands twice in the list, is passed over. */
  append(events: readonly StoredEvent[]): Promise<void>;
  /**
   * Stores events that no month counts. Their ids are not kept: the very same event is stored once however often it comes,
   * but another content under its id is for the caller to prevent.
   */
  appendUnmetered(events: readonly StoredEvent[]): Promise<void>;
  /** Counts the distinct events first received in the UTC month `YYYY-MM`. */
  countReceived(orgId: string, month: UsageMonth): Promise<number>;
  /**
   * Counts an org's distinct events of publishable keys by UTC day of receipt, `from` to before `until` (epoch milliseconds); a
   * day without any is absent.
   */
  countPublicByDay(
    orgId: string,
    range: { readonly from: number; readonly until: number },
  ): Promise<ReadonlyMap<Day, number>>;
  /**
   * Counts the events of all orgs by UTC day of receipt, `from` to before `until` (epoch milliseconds); a day without any is
   * absent. For the platform owner's traffic: the only query that names no org. An event that a crash made the queue deliver
   * twice may count twice for a while.
   */
  countByDay(range: { readonly from: number; readonly until: number }): Promise<ReadonlyMap<Day, number>>;
  /** Reads all that one analysis needs, in one pass. The same events give the same bits, however they are stored. */
  loadArms(query: AnalysisQuery): Promise<ArmSnapshot>;
  loadBaseline(query: BaselineQuery): Promise<Baseline>;
  /** Tells what an experiment's events are like, how they came and whom they count for. */
  loadFacts(query: FactsQuery): Promise<EventFacts>;
  /**
   * Removes raw events, prompts and responses with them, from the disk, and sums that are out of date; what analyses read stays. Returns
   * how many raw events went.
   */
  sweepRaw(rules: readonly RetentionRule[]): Promise<number>;
  /**
   * Removes all events of an experiment: no analysis sees them any more, and the raw log follows within seconds. What months
   * counted stays counted, and its ids stay known.
   */
  removeExperiment(orgId: string, experimentId: string): Promise<void>;
  /**
   * Removes what was received of users up to their request, of every experiment, from both logs and from the disk. What months counted
   * stays counted, and its ids stay known. Returns how many rows it found: none once everything is gone.
   */
  eraseUsers(erasures: readonly Erasure[]): Promise<number>;
  /** Exposures per day and variant, oldest first. */
  traffic(query: ExperimentEvents): Promise<readonly TrafficPoint[]>;
  /** Exposures per minute and variant, test users among them, oldest first; `from` to before `until` (epoch milliseconds). */
  exposuresByMinute(
    query: ExperimentEvents & { readonly from: number; readonly until: number },
  ): Promise<readonly MinuteOfExposures[]>;
  /** Lists an experiment's raw events, each once; those that were swept are gone. */
  listRaw(query: RawEventQuery): Promise<Page<EventPreview>>;
  /** One raw event with its texts; `costUsd` is as sent or else priced. Null when it is not there, or was swept. */
  findRaw(ref: RawEventRef): Promise<StoredEvent | null>;
  /** Lists all events of a user over the org's experiments, each once, with their texts. */
  listUserEvents(query: UserEventQuery): Promise<Page<UserEvent>>;
  /** A user's business events in an experiment, newest first. They outlive their raw events. */
  listOutcomes(query: OutcomeQuery): Promise<readonly Outcome[]>;
  /** Counts an experiment's calls that a judge could score, by arm and rank among the user's. */
  countJudgeable(query: JudgeableQuery): Promise<readonly JudgeableCount[]>;
  /** Draws calls by hash: in each arm, of the calls of a rank, those of the users with the smallest hashes. */
  drawJudgeable(query: JudgeableQuery, quotas: JudgeableQuotas): Promise<readonly JudgeableCall[]>;
  /** The texts of raw events, by event id; those that were swept are absent. */
  loadTexts(
    orgId: string,
    experimentId: string,
    eventIds: readonly string[],
  ): Promise<ReadonlyMap<string, CallTexts>>;
  /** Model calls with their texts, newest first, of no test user; those without a prompt, or swept, are absent. */
  listCompared(query: ComparedCallsQuery): Promise<readonly ComparedCall[]>;
  /** First exposures of these users; a user without one is absent. */
  loadFirstExposures(query: FirstExposureQuery): Promise<readonly FirstExposure[]>;
  /** When each of these users' first event of the experiment occurred, in epoch milliseconds; a user without one is absent. */
  loadFirstSeen(query: FirstSeenQuery): Promise<ReadonlyMap<string, number>>;
  /** Counts exposures of all the org's experiments, or of one; a variant without exposures is absent. */
  countExposures(query: {
    readonly orgId: string;
    readonly experimentId?: string;
    readonly exclusions: readonly ExperimentExclusions[];
  }): Promise<readonly ExposureCount[]>;
  /** Counts what one more exclusion would take out of the rows that are left, by arm. */
  loadExclusionEffects(
    query: ExperimentEvents & { readonly match: ExclusionMatch },
  ): Promise<readonly ExclusionEffect[]>;
  /** Event ids of those of the calls that exclusions take out. */
  listExcluded(
    query: ExperimentEvents,
    calls: readonly { readonly eventId: string; readonly userId: string }[],
  ): Promise<ReadonlySet<string>>;
  /** Answers when the engine answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
