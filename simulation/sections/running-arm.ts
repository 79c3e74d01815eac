import { GUARD_COLUMNS, GUARD_GROUPS, type GuardColumn } from "@assay/domain";
import { MAX_GROUP_WEIGHT, MIN_GUARD_EVENTS, MIN_GUARD_GROUPS } from "@assay/pipeline";

/** A group with more than this many times the events of the median group counts for less. */
const CAP = MAX_GROUP_WEIGHT;

/** With fewer events than the guard's minimum, a score says nothing. */
const TOO_FEW: RatioSums = { events: 0, n: 0, yy: 0, yd: 0, dd: 0, y: 0, d: 0 };
/** More events than any group has. */
const LARGEST = 2 ** 17;

/** Sums over the groups of an arm with events: of y², y · d, d², y and d. */
export interface RatioSums {
  readonly events: number;
  readonly n: number;
  readonly yy: number;
  readonly yd: number;
  readonly dd: number;
  readonly y: number;
  readonly d: number;
}

/** A signal's difference in standard errors, and the number of events that it is based on. */
export interface Score {
  readonly z: number;
  readonly events: number;
}
export const NO_SCORE: Score = { z: 0, events: 0 };

/** Keeps the sizes of groups and their median, while groups grow by one event at a time. */
export function createSizes() {
  const sizes = new Float64Array(GUARD_GROUPS);
  const groupsOfSize = new Int32Array(LARGEST);
  let inUse = 0;
  let middle = 1;
  let smaller = 0;
  let total = 0;
  let squares = 0;
  let over: number[] | null = null;

  return {
    sizes,
    /** Adds an event to a group. */
    grow(group: number): void {
      const before = sizes[group]!;
      sizes[group] = before + 1;
      total += 1;
      squares += 2 * before + 1;
      groupsOfSize[before + 1]! += 1;
      if (before > 0) {
        groupsOfSize[before]! -= 1;
        if (before + 1 === middle) smaller -= 1;
      } else {
        inUse += 1;
        if (middle > 1) smaller += 1;
      }
      // At most half of the groups are smaller than the median; more than half are smaller or equal.
      const half = inUse >> 1;
      const middleBefore = middle;
      while (smaller + groupsOfSize[middle]! <= half) {
        smaller += groupsOfSize[middle]!;
        middle += 1;
      }
      while (smaller > half) {
        middle -= 1;
        smaller -= groupsOfSize[middle]!;
      }
      if (middle !== middleBefore) over = null;
      else if (before === CAP * middle) over?.push(group);
    },
    inUse: () => inUse,
    total: () => total,
    squares: () => squares,
    isEnough: () => inUse >= MIN_GUARD_GROUPS && total >= MIN_GUARD_EVENTS,
    /** The most events that a group counts for. */
    most: () => CAP * middle,
    /** The groups that have more events than `most`. */
    over(): readonly number[] {
      if (over === null) {
        over = [];
        for (let group = 0; group < GUARD_GROUPS; group++) if (sizes[group]! > CAP * middle) over.push(group);
      }
      return over;
    },
  };
}

/** Keeps the sums of one value per event, by group; `sized` counts the events. */
function createRatio(sized: ReturnType<typeof createSizes>) {
  const values = new Float64Array(GUARD_GROUPS);
  const sizes = sized.sizes;
  let totalYY = 0;
  let totalYD = 0;
  let totalY = 0;
  return {
    values,
    /** Adds the value of an event. The size of its group must already include the event. */
    add(group: number, by: number): void {
      const before = values[group]!;
      totalYY += by * (2 * before + by);
      totalYD += before + by * sizes[group]!;
      totalY += by;
      values[group] = before + by;
    },
    /** Returns the sums. Groups with more events than `most` are scaled down to it. */
    sums(isPerUser: boolean): RatioSums {
      if (!sized.isEnough()) return TOO_FEW;
      const events = sized.total();
      const most = sized.most();
      let yy = totalYY;
      let yd = totalYD;
      let y = totalY;
      let dd = sized.squares();
      let d = events;
      for (const group of sized.over()) {
        const size = sizes[group]!;
        const lost = 1 - most / size;
        const lostSquare = 1 - (most / size) ** 2;
        const value = values[group]!;
        yy -= lostSquare * value * value;
        yd -= lostSquare * value * size;
        dd -= lostSquare * size * size;
        y -= lost * value;
        d -= lost * size;
      }
      if (isPerUser) return { events, n: GUARD_GROUPS, yy, yd: y, dd: GUARD_GROUPS, y, d: GUARD_GROUPS };
      return { events, n: sized.inUse(), yy, yd, dd, y, d };
    },
  };
}

/** Keeps the sums that a guard's look at an arm needs, so that a look costs the same however many events came before. */
export function createRunningArm() {
  const calls = createSizes();
  const completed = createSizes();
  const exposures = new Float64Array(GUARD_GROUPS);
  const errors = createRatio(calls);
  const latency = createRatio(calls);
  const cost = createRatio(completed);
  const missing = createRatio(completed);
  const truncated = createRatio(completed);
  const columns: Readonly<Record<GuardColumn, Float64Array>> = {
    exposures,
    calls: calls.sizes,
    errors: errors.values,
    completed: completed.sizes,
    latencySum: latency.values,
    latencyCount: calls.sizes,
    costSum: cost.values,
    costCount: completed.sizes,
    missingUsage: missing.values,
    truncated: truncated.values,
  };
  return {
    columns: GUARD_COLUMNS.map((column) => columns[column]),
    expose(group: number): void {
      exposures[group]! += 1;
    },
    addCall(group: number, latencyMs: number, fails: boolean): void {
      calls.grow(group);
      errors.add(group, Number(fails));
      latency.add(group, latencyMs);
    },
    /** Records that the last call was completed. */
    complete(group: number, costUsd: number, missesUsage: boolean, isTruncated: boolean): void {
      completed.grow(group);
      cost.add(group, costUsd);
      missing.add(group, Number(missesUsage));
      truncated.add(group, Number(isTruncated));
    },
    /** Returns the sums of each signal, in the guard's order. */
    ratios: (): readonly RatioSums[] => [
      errors.sums(false),
      latency.sums(false),
      cost.sums(false),
      cost.sums(true),
      missing.sums(false),
      truncated.sums(false),
    ],
  };
}

/** Keeps the sums of the split: exposures of two arms, by group. */
export function createRunningSplit() {
  const both = createSizes();
  const ofSecond = new Float64Array(GUARD_GROUPS);
  /** Per group, the second arm's exposures minus half of both arms': the sum, and the sum of squares. */
  let sum = 0;
  let squares = 0;
  return {
    expose(group: number, arm: number): void {
      const before = ofSecond[group]! - both.sizes[group]! / 2;
      const by = arm - 0.5;
      both.grow(group);
      ofSecond[group]! += arm;
      sum += by;
      squares += by * (2 * before + by);
    },
    /** Returns the excess of the second arm's exposures in standard errors. */
    score(): Score {
      if (!both.isEnough()) return NO_SCORE;
      let y = sum;
      let yy = squares;
      const most = both.most();
      for (const group of both.over()) {
        const size = both.sizes[group]!;
        const value = ofSecond[group]! - size / 2;
        y -= (1 - most / size) * value;
        yy -= (1 - (most / size) ** 2) * value * value;
      }
      const n = both.inUse();
      return { z: y / Math.sqrt((yy * n) / (n - 1)), events: both.total() };
    },
  };
}
