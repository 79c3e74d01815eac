import { DAY_MS, type RunField } from "@assay/domain";
import { addExactly, fineBin, roundedSum } from "@assay/stats";
import { compareBytes } from "../sql/compare-bytes.ts";
import { addToRuns, copyOfRuns, type RunRows, type RunsForm, type UnitRuns } from "./agent-runs.ts";

/** A user's first exposure. */
export interface FirstExposure {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly eventId: string;
  readonly arm: string;
  readonly isTest: boolean;
  /** Names the user of a unit; 0 where the unit is the user. */
  readonly userKey: number;
}

/** Further events of a unit. */
export interface UnitEvents {
  /** The first exposure among them that counts. */
  readonly first: FirstExposure | null;
  /** Whether the exposures among them name several variants. */
  readonly isContaminated: boolean;
  /** Indexes of rows. */
  readonly outcomes: readonly number[];
  readonly rows: OutcomeRows;
}

/** Outcomes by index, because creating an object for each would take longer than all other work on it. */
export interface OutcomeRows extends RunRows {
  isCall(i: number): boolean;
  /** The variant that the event names; empty: none. */
  variant(i: number): string;
  /** The value of a source; NaN: none. */
  value(i: number, source: number): number;
  /** How many events it counts for. */
  weight(i: number): number;
}

const HEAVY_CALLS_PER_DAY = 1_000;

/** A unit's values of a source in a window. */
export interface UnitValues {
  /** The exact sum (`addExactly`), which has the same bits in any order and in any number of steps. */
  readonly sum: number[];
  count: number;
  isNonZero: boolean;
  /** The fine bins of the values, unordered; empty unless a metric is per call. */
  readonly bins: number[];
  /** Null: every event has weight one. */
  readonly weights: ValueWeights | null;
}

/** The weights of the values' events: their exact sum and the extremes. */
export interface ValueWeights {
  readonly sum: number[];
  smallest: number;
  largest: number;
}

/** The sum and the number of a unit's values from before the first exposure, by source; NaN and 0: none. */
export interface UnitPast {
  readonly sums: readonly number[];
  readonly counts: readonly number[];
}

/**
 * The values of a unit: a user, or one of a user's conversations or runs. A unit is what is assigned and analyzed. The values depend on
 * which events exist, and not on their order.
 */
export interface Unit {
  readonly hash: bigint;
  /** Empty unless the analysis asked for it. */
  readonly userId: string;
  readonly isTestUser: boolean;
  first: FirstExposure | null;
  /** Whether other exposures name another variant than the first one. */
  isContaminated: boolean;
  calls: number;
  firstCallAt: number;
  lastCallAt: number;
  lastOutcomeAt: number;
  /** Counted outcomes before the first exposure that name another variant than that exposure. */
  attributed: number;
  early: number;
  conflicting: number;
  /** One entry per window of the analysis. Those of runs stay empty, because a run has no value before it is over. */
  readonly values: readonly UnitValues[];
  /** Null: no metric reads runs. */
  readonly runs: UnitRuns | null;
  /** Null if the unit did nothing before its exposure, or the analysis does not need it. */
  past: UnitPast | null;
}

/** A source of values and a window that begins at the first exposure. */
export interface Window {
  readonly source: number;
  /** Milliseconds; infinity without a window. */
  readonly windowMs: number;
  /** Whether a metric is over the single values. */
  readonly isPerCall: boolean;
  /** Whether events may count for several. */
  readonly isWeighted: boolean;
  /** The value of runs that is read; absent for values of events. */
  readonly run?: RunField;
  /** Whether only runs that completed their task are counted. */
  readonly isPerCompleted?: boolean;
}

/** Returns which values of runs the windows read; null if none. */
export function runsFormOf(windows: readonly Window[]): RunsForm | null {
  const ofRuns = windows.filter(({ run }) => run !== undefined);
  if (ofRuns.length === 0) return null;
  return {
    hasHandoffs: ofRuns.some(({ run }) => run === "handoffs"),
    isWeighted: ofRuns.some(({ isWeighted }) => isWeighted),
  };
}

/** Creates a window's values without events. */
export function newValues({ isWeighted, isPerCompleted }: Window): UnitValues {
  const hasWeights = isWeighted || isPerCompleted === true;
  return {
    sum: [],
    count: 0,
    isNonZero: false,
    bins: [],
    weights: hasWeights ? { sum: [], smallest: Number.POSITIVE_INFINITY, largest: 0 } : null,
  };
}

/** Creates a unit without events. */
export function newUnit(
  { hash, userId, isTestUser }: Pick<Unit, "hash" | "userId" | "isTestUser">,
  windows: readonly Window[],
): Unit {
  return {
    hash,
    userId,
    isTestUser,
    first: null,
    isContaminated: false,
    calls: 0,
    firstCallAt: Number.POSITIVE_INFINITY,
    lastCallAt: 0,
    lastOutcomeAt: 0,
    attributed: 0,
    early: 0,
    conflicting: 0,
    values: windows.map(newValues),
    runs: windows.some(({ run }) => run !== undefined) ? new Map() : null,
    past: null,
  };
}

/** Copies a unit. */
export function copyOf(unit: Unit): Unit {
  const values = unit.values.map(({ sum, bins, weights, ...own }) => ({
    ...{ ...own, sum: [...sum], bins: [...bins] },
    weights: weights && { ...weights, sum: [...weights.sum] },
  }));
  return { ...unit, values, runs: unit.runs && copyOfRuns(unit.runs) };
}

/**
 * Adds further events of the unit. Returns false, and leaves the unit unusable, when an exposure among them precedes outcomes that were
 * added before: only the events themselves then show what those outcomes count for. The same applies to calls whose agents a metric follows.
 */
export function addEvents(unit: Unit, events: UnitEvents, windows: readonly Window[]): boolean {
  const { first, isContaminated, outcomes, rows } = events;
  if (first !== null) {
    const known = unit.first;
    unit.isContaminated ||= isContaminated || (known !== null && known.arm !== first.arm);
    if (known === null || isBefore(first, known)) {
      unit.first = first;
      if (unit.lastOutcomeAt >= first.at) return false;
    }
  }
  if (unit.runs !== null && !addToRuns(unit.runs, { events: outcomes, rows }, runsFormOf(windows)!))
    return false;
  const { at: t0, arm } = unit.first ?? { at: Number.POSITIVE_INFINITY, arm: "" };
  for (let o = 0; o < outcomes.length; o++) {
    const i = outcomes[o]!;
    const at = rows.at[i]!;
    noteOutcome(unit, at, rows.isCall(i));
    const variant = rows.variant(i);
    if (at < t0) unit.early += 1;
    else if (variant !== "" && variant !== arm) unit.conflicting += 1;
    else {
      unit.attributed += 1;
      for (let w = 0; w < windows.length; w++) {
        const { source, windowMs, isPerCall, isWeighted } = windows[w]!;
        if (at >= t0 + windowMs) continue;
        const value = rows.value(i, source);
        if (Number.isNaN(value)) continue;
        addValue(unit.values[w]!, value, isPerCall, isWeighted ? rows.weight(i) : 1);
      }
    }
  }
  return true;
}

function noteOutcome(unit: Unit, at: number, isCall: boolean): void {
  if (at > unit.lastOutcomeAt) unit.lastOutcomeAt = at;
  if (!isCall) return;
  unit.calls += 1;
  if (at < unit.firstCallAt) unit.firstCallAt = at;
  if (at > unit.lastCallAt) unit.lastCallAt = at;
}

/** Returns whether an exposure comes before another; of those at the same time, the one with the lesser event id does. */
export function isBefore(one: FirstExposure, other: FirstExposure): boolean {
  return one.at === other.at ? compareBytes(one.eventId, other.eventId) < 0 : one.at < other.at;
}

/** Adds a value with the weight of its event. `isPerCall` also stores its fine bin. */
export function addValue(values: UnitValues, value: number, isPerCall: boolean, weight = 1): void {
  addExactly(values.sum, weight * value);
  values.count += 1;
  if (value !== 0) values.isNonZero = true;
  if (isPerCall) values.bins.push(fineBin(value));
  const { weights } = values;
  if (weights === null) return;
  addExactly(weights.sum, weight);
  weights.smallest = Math.min(weights.smallest, weight);
  weights.largest = Math.max(weights.largest, weight);
}

/** Returns the fine bins of the values in ascending order. Sorts in place unless they are already sorted, as in a state. */
export function sortedBins({ bins }: UnitValues): readonly number[] {
  for (let i = 1; i < bins.length; i++)
    if (bins[i - 1]! > bins[i]!) return bins.sort((one, other) => one - other);
  return bins;
}

/** Returns how many events the values count for. */
export function weightOf({ count, weights }: UnitValues): number {
  return weights === null ? count : roundedSum(weights.sum);
}

/** Whether the unit is a test user, or its first exposure was a test. */
export function isTest({ isTestUser, first }: Unit): boolean {
  return isTestUser || first?.isTest === true;
}

/** Whether the unit makes more calls a day than a person would. */
export function isHeavy({ calls, firstCallAt, lastCallAt }: Unit): boolean {
  return calls / Math.max(1, (lastCallAt - firstCallAt) / DAY_MS) > HEAVY_CALLS_PER_DAY;
}
