import type { ExclusionEffect } from "../attribution/exclusion-effect.ts";
import type { ExclusionMatch, ExperimentExclusions } from "../attribution/exclusions.ts";
import type { StoredEvent } from "../event/event.ts";
import type { UsageMonth } from "../metering/usage-month.ts";
import type { CallCell, CellQuota } from "../rehearsal/draw-plan.ts";
import type { Day } from "../time/day.ts";
import type { AnalysisQuery, ArmSnapshot } from "./arm-analysis.ts";
import type { ComparedCall, ComparedCallsQuery } from "./compared-events.ts";
import type { Erasure } from "./erasures.ts";
import type { EventFacts } from "./event-facts.ts";
import type { EventsOfUnits, ExperimentEvents } from "./experiment-events.ts";
import type { GuardQuery, GuardSums } from "./guard-sums.ts";
import type { Baseline, BaselineQuery, UnitHistory, UnitHistoryQuery } from "./history.ts";
import type {
  CallTexts,
  FirstExposure,
  FirstExposureQuery,
  JudgeableCall,
  JudgeableCount,
  JudgeableQuery,
  JudgeableQuotas,
  TranscriptQuery,
  UnitEventsSoFar,
} from "./judgeable.ts";
import type { Page } from "./page.ts";
import type { PromptedCall, PromptedCallsQuery } from "./prompted-calls.ts";
import type { EventPreview, Outcome, OutcomeQuery, RawEventQuery, RawEventRef } from "./raw-events.ts";
import type { UserEvent, UserEventQuery } from "./user-events.ts";

/** Selects what a run reads: the data for its analysis, and facts about the events. */
export interface RunQuery extends AnalysisQuery {
  /** Exclusive cut-off of the facts, not before `until`. */
  readonly factsUntil: number;
  /** The configured model of each variant; variants without one are absent. */
  readonly configuredModels: Readonly<Record<string, string>>;
}

export interface RunData {
  readonly arms: ArmSnapshot;
  readonly facts: EventFacts;
}

/** Selects logged evaluations, to check whether the calls of their traces arrived by OpenTelemetry. */
export interface LoggedTraceQuery extends EventsOfUnits {
  /** Exclusive cut-off of events, epoch milliseconds. */
  readonly until: number;
  /** Exclusive cut-off of evaluations, because the calls of later ones may still arrive. */
  readonly evaluatedUntil: number;
  /** As in `AnalysisQuery`. */
  readonly periodStarts: readonly number[];
  /** Maximum number of users to read: the first by hash. */
  readonly maxUsers: number;
}

/** A user's traces with a logged evaluation. Log records arrive even if a sampler dropped the trace's spans. */
export interface LoggedTraces {
  /** Of the user's first exposure. */
  readonly arm: string;
  readonly period: number;
  readonly traces: number;
  /** Traces of which no call and no other evaluation arrived. */
  readonly lost: number;
}

/** Raw events of these orgs that were received before the instant (epoch milliseconds) may be removed. */
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
  /** Distinct users, including test users, or units. A user who was exposed to several variants counts in each. */
  readonly users: number;
  /** Users who own these units, over all variants of the experiment; absent if users are the units. */
  readonly clusters?: number;
  readonly exposures: number;
  /** UTC day of the newest exposure. */
  readonly lastOn: Day;
}

/** Selects all events of users, including excluded ones. */
export interface FirstSeenQuery {
  readonly orgId: string;
  readonly experimentId: string;
  readonly userIds: readonly string[];
  /** Exclusive cut-off, epoch milliseconds. */
  readonly until: number;
}

/** Append-only store of raw events and of the thin analysis log. Every query names the org, except `countByDay`. */
export interface EventStore {
  /** Creates or upgrades the tables. Idempotent. */
  migrate(): Promise<void>;
  /**
   * Does one step of the work that an upgrade leaves to the background. Returns whether there is more to do now. It may be interrupted
   * at any point: the next call, in any process, continues.
   */
  continueUpgrade(now: number): Promise<boolean>;
  /**
   * Stores events once: an `(orgId, eventId)` that is already stored, or occurs twice in the list, is skipped. Returns the stored events.
   * An id that a trusted sender uses again with another timestamp is remembered for 35 days, any other forever.
   */
  append(events: readonly StoredEvent[]): Promise<readonly StoredEvent[]>;
  /**
   * Stores events without counting them in a month. Their ids are not kept: an identical event is stored once however
   * often it arrives, but the caller must prevent different content under the same id.
   */
  appendUnmetered(events: readonly StoredEvent[]): Promise<void>;
  /** Counts each org's distinct events first received in the UTC month `YYYY-MM`. Counting many orgs takes hardly longer than one. */
  countReceived(orgIds: readonly string[], month: UsageMonth): Promise<readonly number[]>;
  /**
   * Counts an org's distinct events of publishable keys by UTC day of receipt, from `from` to before `until` (epoch
   * milliseconds). Days without events are absent.
   */
  countPublicByDay(
    orgId: string,
    range: { readonly from: number; readonly until: number },
  ): Promise<ReadonlyMap<Day, number>>;
  /**
   * Counts the events of all orgs by UTC day of receipt, from `from` to before `until` (epoch milliseconds). Days
   * without events are absent. This is the only query that names no org: it shows the platform owner the traffic. An
   * event that the queue delivered twice after a crash may count twice for a while.
   */
  countByDay(range: { readonly from: number; readonly until: number }): Promise<ReadonlyMap<Day, number>>;
  /**
   * Reads in one pass everything that an analysis needs: its data, the quality of the events, how they arrived and which arm they count
   * for. The same events give bit-identical results, however they are stored.
   */
  loadRun(query: RunQuery): Promise<RunData>;
  /** Reads only the data of an analysis, as `loadRun` does. */
  loadArms(query: AnalysisQuery): Promise<ArmSnapshot>;
  loadBaseline(query: BaselineQuery): Promise<Baseline>;
  loadUnitHistory(query: UnitHistoryQuery): Promise<UnitHistory>;
  /** Counts users' traces with a logged evaluation, and the lost ones; without users seen in several variants. */
  loadLoggedTraces(query: LoggedTraceQuery): Promise<readonly LoggedTraces[]>;
  /**
   * Removes raw events from the disk, with prompts and responses, and outdated sums; what analyses read stays. Returns
   * the number of raw events removed.
   */
  sweepRaw(rules: readonly RetentionRule[]): Promise<number>;
  /**
   * Removes all events of an experiment: analyses stop seeing them at once, and the raw log follows within seconds.
   * Monthly counts do not change, and the ids stay known.
   */
  removeExperiment(orgId: string, experimentId: string): Promise<void>;
  /**
   * Removes from the disk everything received about users up to their request, in every experiment and both logs.
   * Monthly counts do not change, and the ids stay known. Returns the number of rows found; 0 once everything is gone.
   */
  eraseUsers(erasures: readonly Erasure[]): Promise<number>;
  /** Exposures per day and variant, oldest first. */
  traffic(query: ExperimentEvents): Promise<readonly TrafficPoint[]>;
  /** Sums up what a guard watches. An event that names no variant counts for the owner of its user's bucket. */
  loadGuardSums(query: GuardQuery): Promise<GuardSums>;
  /** Exposures per minute and variant, including test users, oldest first; from `from` to before `until` (epoch milliseconds). */
  exposuresByMinute(
    query: ExperimentEvents & { readonly from: number; readonly until: number },
  ): Promise<readonly MinuteOfExposures[]>;
  /** Lists an experiment's raw events, each once. Swept events are gone. */
  listRaw(query: RawEventQuery): Promise<Page<EventPreview>>;
  /**
   * One raw event with its texts; `costUsd` is as sent, otherwise computed from the prices. Null when the event
   * does not exist or was swept.
   */
  findRaw(ref: RawEventRef): Promise<StoredEvent | null>;
  /** Lists all events of a user over the org's experiments, each once, with their texts. */
  listUserEvents(query: UserEventQuery): Promise<Page<UserEvent>>;
  /** A user's business events in an experiment, newest first. They outlive their raw events. */
  listOutcomes(query: OutcomeQuery): Promise<readonly Outcome[]>;
  /** Counts an experiment's calls that a judge could score, by arm and by the call's rank among the user's calls. */
  countJudgeable(query: JudgeableQuery): Promise<readonly JudgeableCount[]>;
  /** Draws calls by hash: in each arm and rank, the calls of the users with the smallest hashes. */
  drawJudgeable(query: JudgeableQuery, quotas: JudgeableQuotas): Promise<readonly JudgeableCall[]>;
  /** Counts the judgeable calls and draws all of them, in one query. */
  drawAllJudgeable(
    query: JudgeableQuery,
  ): Promise<{ readonly counts: readonly JudgeableCount[]; readonly calls: readonly JudgeableCall[] }>;
  /** Counts an experiment's calls with a prompt, by UTC day and by step of the prompt's length. */
  countPrompted(query: PromptedCallsQuery): Promise<readonly CallCell[]>;
  /** Draws each cell's quota of calls by hash, oldest first. Another salt draws other calls. */
  drawPrompted(
    query: PromptedCallsQuery & { readonly salt: string },
    plan: readonly CellQuota[],
  ): Promise<readonly PromptedCall[]>;
  /** The texts of raw events, by event id; swept events are absent. */
  loadTexts(
    orgId: string,
    experimentId: string,
    eventIds: readonly string[],
  ): Promise<ReadonlyMap<string, CallTexts>>;
  /** The events of units up to given calls, by the calls' event ids; units whose events were swept are absent. */
  loadTranscripts(query: TranscriptQuery): Promise<ReadonlyMap<string, UnitEventsSoFar>>;
  /** Model calls with their texts, newest first. Calls of test users, calls without a prompt, and swept calls are absent. */
  listCompared(query: ComparedCallsQuery): Promise<readonly ComparedCall[]>;
  /** First exposures of these users; users without one are absent. */
  loadFirstExposures(query: FirstExposureQuery): Promise<readonly FirstExposure[]>;
  /** Time of each of these users' first event of the experiment, in epoch milliseconds; users without one are absent. */
  loadFirstSeen(query: FirstSeenQuery): Promise<ReadonlyMap<string, number>>;
  /** Counts exposures of all the org's experiments, or of one; a variant without exposures is absent. */
  countExposures(query: {
    readonly orgId: string;
    readonly experimentId?: string;
    readonly exclusions: readonly ExperimentExclusions[];
    /** Experiments whose unit is not the user: their units are counted. Default: none. */
    readonly ofUnits?: readonly string[];
  }): Promise<readonly ExposureCount[]>;
  /** Counts what one more exclusion would remove from the remaining events, by arm. */
  loadExclusionEffects(
    query: EventsOfUnits & { readonly match: ExclusionMatch },
  ): Promise<readonly ExclusionEffect[]>;
  /** Event ids of the given calls that exclusions remove. */
  listExcluded(
    query: ExperimentEvents,
    calls: readonly { readonly eventId: string; readonly userId: string }[],
  ): Promise<ReadonlySet<string>>;
  /** Resolves if the engine answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
