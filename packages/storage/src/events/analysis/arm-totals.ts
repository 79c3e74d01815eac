import {
  AGENT_RUN_OUTCOMES,
  type AgentRunOutcome,
  type AnalysisQuery,
  type ArmAgentRuns,
  type ArmMetric,
  type ArmSnapshot,
  DAY_MS,
  needsRunEnds,
} from "@assay/domain";
import { type FirstExposure, isHeavy, isTest, type Unit } from "../units/unit.ts";
import type { MetricColumns, QueryColumns } from "./metric-columns.ts";
import { MetricTotals, pooledCap } from "./metric-totals.ts";
import { runValues, type SettledRuns, settleRuns } from "./run-values.ts";
import { toUsersByDay } from "./users-by-day.ts";

/** The users of an arm and a period. */
interface Group {
  readonly arm: string;
  readonly period: number;
  users: number;
  testUsers: number;
  contaminatedUsers: number;
  heavyUsers: number;
  /** By days since the epoch. */
  readonly usersByDay: Map<number, number>;
  /** One for each of the query's columns. */
  readonly totals: readonly MetricTotals[];
  readonly runs: Record<AgentRunOutcome, number>;
}

/** Counts an experiment's users and adds up their values, arm by arm. */
export class ArmTotals {
  readonly #query: AnalysisQuery;
  readonly #used: QueryColumns;
  /** By arm, then by period. */
  readonly #groups = new Map<string, Group[]>();
  /** How many users of an arm the sample has, over all its periods. */
  readonly #sampled = new Map<string, number>();
  readonly #outcomes = { attributed: 0, early: 0, conflicting: 0 };
  #firstExposureAt: number | null = null;
  /** Users of exposed units; null where users are the units. */
  readonly #clusters: Set<number> | null;
  /** Whether any run has a `run_end` event that says whether the task was completed. */
  #hasRunEnds = false;

  constructor(query: AnalysisQuery, used: QueryColumns) {
    this.#query = query;
    this.#used = used;
    this.#clusters = query.unit === "user" ? null : new Set();
  }

  /** Adds a unit. Units must come in the order of their hashes. */
  add(unit: Unit): void {
    const { first } = unit;
    const isPlain = !isTest(unit) && !unit.isContaminated;
    if (isPlain) {
      this.#outcomes.attributed += unit.attributed;
      this.#outcomes.early += unit.early;
      this.#outcomes.conflicting += unit.conflicting;
    }
    if (first === null) return;
    const { at, arm, userKey } = first;
    const group = this.#groupOf(first);
    this.#firstExposureAt = Math.min(at, this.#firstExposureAt ?? at);
    group.users += 1;
    this.#clusters?.add(userKey);
    group.testUsers += Number(isTest(unit));
    group.contaminatedUsers += Number(unit.isContaminated);
    group.heavyUsers += Number(isHeavy(unit));
    const day = Math.floor(at / DAY_MS);
    group.usersByDay.set(day, (group.usersByDay.get(day) ?? 0) + 1);
    if (!isPlain) return;
    const runs = this.#settled(unit, first, group);
    const isTaken = this.#takesIntoSample(arm);
    const { past } = unit;
    for (let i = 0; i < this.#used.columns.length; i++) {
      const { metric, source, values } = this.#used.columns[i]!;
      if (metric.windowDays !== null && at + this.#used.values[values]!.windowMs > this.#query.until)
        continue;
      const own = isTaken
        ? {
            userId: unit.userId,
            userKey,
            startedAt: at,
            preSum: past?.sums[source],
            preCount: past?.counts[source],
          }
        : null;
      const column = this.#used.values[values]!;
      const ofUnit =
        runs === null || column.run === undefined
          ? unit.values[values]!
          : runValues(runs, { startedAt: at, column });
      // A run without a value is in no sample, unlike a user who did nothing.
      if (column.run !== undefined && this.#query.unit === "run" && ofUnit.count === 0) continue;
      group.totals[i]!.add(ofUnit, own);
    }
  }

  /** Determines and counts the runs of a unit that count; null if no metric reads runs. */
  #settled({ runs }: Unit, first: FirstExposure, group: Group): SettledRuns | null {
    if (runs === null) return null;
    const settled = settleRuns(runs, first, this.#query);
    for (const outcome of settled.outcomes) group.runs[outcome] += 1;
    this.#hasRunEnds ||= settled.hasEnd;
    return settled;
  }

  /** Returns whether a user of an arm belongs to the sample: the arm's first users do. */
  #takesIntoSample(arm: string): boolean {
    const before = this.#sampled.get(arm) ?? 0;
    if (this.#query.sample === null || before >= this.#query.sample.maxUsersPerArm) return false;
    this.#sampled.set(arm, before + 1);
    return true;
  }

  #groupOf({ arm, at }: FirstExposure): Group {
    const period = this.#query.periodStarts.filter((start) => start <= at).length;
    let periods = this.#groups.get(arm);
    if (periods === undefined) {
      periods = [];
      this.#groups.set(arm, periods);
    }
    periods[period] ??= {
      ...{ arm, period, users: 0, testUsers: 0, contaminatedUsers: 0, heavyUsers: 0, usersByDay: new Map() },
      totals: this.#used.columns.map(({ metric }) => new MetricTotals(metric, this.#query)),
      runs: Object.fromEntries(AGENT_RUN_OUTCOMES.map((outcome) => [outcome, 0])) as Group["runs"],
    };
    return periods[period];
  }

  #sorted(): readonly Group[] {
    return [...this.#groups.values()].flat().sort((a, b) => compare(a.arm, b.arm) || a.period - b.period);
  }

  /** Returns the counts of agents' runs, sorted by arm and period; null if no metric reads runs. */
  agentRuns(): readonly ArmAgentRuns[] | null {
    if (this.#used.values.every(({ run }) => run === undefined)) return null;
    return this.#sorted().map(({ arm, period, runs }) => ({ arm, period, ...runs }));
  }

  /** Returns the snapshot, sorted by arm and period. Call it once. */
  snapshot(): ArmSnapshot {
    const groups = this.#sorted();
    const finished = new Map(this.#used.columns.map((own) => [own, this.#finish(own, groups)]));
    return {
      exposures: groups.map(({ totals: _, runs: __, usersByDay, ...counts }) => ({
        ...counts,
        usersByDay: toUsersByDay(usersByDay),
      })),
      ...(this.#clusters !== null && { clusters: this.#clusters.size }),
      metrics: this.#query.metrics.flatMap(({ name }, i) =>
        finished.get(this.#used.ofMetrics[i]!)!.map((row) => ({ metric: name, ...row })),
      ),

      outcomes: this.#outcomes.attributed,
      droppedPreExposure: this.#outcomes.early,
      variantConflicts: this.#outcomes.conflicting,
      firstExposureAt: this.#firstExposureAt,
    };
  }

  #finish({ metric, index }: MetricColumns, groups: readonly Group[]): readonly Omit<ArmMetric, "metric">[] {
    if (needsRunEnds(metric) && !this.#hasRunEnds) return [];
    const all = groups.map(({ totals }) => totals[index]!);
    const cap = pooledCap(metric, all);
    const isSampled = all.some((totals) => totals.isSampled);
    return groups.flatMap(({ arm, period, totals }) => {
      const own = totals[index]!.finish(cap, isSampled);
      return own === null ? [] : [{ arm, period, ...own }];
    });
  }
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
