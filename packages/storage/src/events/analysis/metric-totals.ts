import {
  type AnalysisQuery,
  type ArmMetric,
  type MetricQuery,
  POOLED_CAP,
  type UserBins,
  type UserValues,
} from "@assay/domain";
import { fineBin, roundedSum } from "@assay/stats";
import { type NumberList, numberList, push } from "../engine/row-binary.ts";
import { sortedBins, type UnitValues, type ValueWeights, weightOf } from "../units/unit.ts";
import { BinCounts } from "./bin-counts.ts";
import { isPerCall } from "./metric-columns.ts";
import { Moments } from "./moments.ts";

/** The sums of one metric over the users of one group, and the sampled users' values. A sum that overflows a double is NaN. */
export type MetricSums = Omit<ArmMetric, "metric" | "arm" | "period">;

/** What a sample stores about a user besides the values: the sum and number of values before the first exposure, if there are any. */
export interface SampledUser {
  readonly userId: string;
  /** As in `FirstExposure`. */
  readonly userKey: number;
  /** When the unit was first exposed, epoch milliseconds. */
  readonly startedAt: number;
  readonly preSum?: number | undefined;
  readonly preCount?: number | undefined;
}

/** Returns whether a metric is capped at a quantile over the users of all groups. */
export function isPooled({ kind, cap }: MetricQuery): boolean {
  return kind === "mean" && cap === POOLED_CAP;
}

/** Returns whether a metric's sample leaves out users without a value; otherwise they count as 0. */
function needsValues(metric: MetricQuery): boolean {
  return isPerCall(metric) || metric.kind === "ordinal";
}

/** Sums one metric over a group's users, such as those of an arm and period, and keeps the values of the sampled users. */
export class MetricTotals {
  readonly #metric: MetricQuery;
  readonly #moments = new Moments();
  readonly #fine = new BinCounts();
  /** With a pooled cap, all values are kept until `finish`, because the cap depends on the users of all groups. */
  readonly #uncapped = numberList();
  readonly #vector: Vector | null;
  #events = 0;
  /** Users without a value, for a ratio of sampled calls. */
  readonly #idle: { readonly values: UnitValues; readonly sampled: SampledUser | null }[] = [];
  readonly #weights = { smallest: Number.POSITIVE_INFINITY, largest: 0, total: 0 };

  constructor(metric: MetricQuery, query: Pick<AnalysisQuery, "unit" | "sample">) {
    this.#metric = metric;
    this.#vector = vectorOf(metric, query);
  }

  /** Adds a user with the values in the metric's window. `sampled` is null for a user outside the sample. */
  add(values: UnitValues, sampled: SampledUser | null): void {
    const { kind } = this.#metric;
    const { count } = values;
    if (count === 0 && needsValues(this.#metric)) {
      if (kind === "ratio" && values.weights !== null) this.#idle.push({ values, sampled });
      return;
    }
    const y = yOf(this.#metric, values);
    this.#events += kind === "binary" ? 1 : count;
    if (isPooled(this.#metric)) push(this.#uncapped, y);
    else this.#moments.add(y, isPerCall(this.#metric) ? weightOf(values) : 1);
    if (isPerCall(this.#metric)) for (const bin of values.bins) this.#fine.add(bin);
    else if (!isPooled(this.#metric)) this.#fine.add(fineBin(y));
    if (sampled !== null) this.#vector?.add(y, values, sampled);
    if (values.weights !== null && count > 0) this.#addWeights(values, values.weights);
  }

  #addWeights(values: UnitValues, { smallest, largest }: ValueWeights): void {
    this.#weights.smallest = Math.min(this.#weights.smallest, smallest);
    this.#weights.largest = Math.max(this.#weights.largest, largest);
    this.#weights.total += weightOf(values);
  }

  /** Whether any event stands for others that a sampler dropped. */
  get isSampled(): boolean {
    return this.#weights.largest > 1;
  }

  /** The users' values from which a pooled cap is computed. */
  get uncapped(): NumberList {
    return this.#uncapped;
  }

  /**
   * Applies a pooled cap (infinity without one) and returns the sums; null when the sample is empty. Call it once. If a sampler dropped
   * calls of any arm (`isSampled`), a ratio includes users without a call, because their calls may have been dropped. Otherwise, arms
   * with different sampling probabilities would contain different users.
   */
  finish(cap: number, isSampled: boolean): MetricSums | null {
    for (const { values, sampled } of isSampled ? this.#idle : []) {
      this.#moments.add(0, 0);
      if (sampled !== null) this.#vector?.add(0, values, sampled);
    }
    for (let i = 0; i < this.#uncapped.length; i++) {
      const y = Math.min(this.#uncapped.numbers[i]!, cap);
      this.#moments.add(y, 1);
      this.#fine.add(fineBin(y));
    }
    const { users } = this.#moments;
    if (users === 0) return null;
    const moments = this.#moments.sums();
    const sums = isPerCall(this.#metric) ? moments : { ...moments, meanD: 1, m2D: 0, cYD: 0 };
    const counts = { users, events: this.#events, fineCounts: this.#fine.toMap() };
    const weights = this.isSampled ? { weights: this.#weights } : {};
    return { ...counts, ...sums, ...weights, sample: this.#vector?.finish(cap) ?? null };
  }
}

/** Returns the cap of a metric: the value at rank ⌊0.999 n⌋ (from 0) over the users of all groups; infinity without a pooled cap. */
export function pooledCap(metric: MetricQuery, groups: readonly MetricTotals[]): number {
  if (!isPooled(metric)) return Number.POSITIVE_INFINITY;
  const all = numberList();
  for (const { uncapped } of groups)
    for (let i = 0; i < uncapped.length; i++) push(all, uncapped.numbers[i]!);
  return all.numbers.subarray(0, all.length).sort()[Math.floor(0.999 * all.length)]!;
}

function yOf({ kind, cap }: MetricQuery, values: UnitValues): number {
  if (kind === "binary") return Number(values.isNonZero);
  const y = roundedSum(values.sum);
  if (kind === "ordinal") return y / weightOf(values);
  return kind === "mean" && typeof cap === "number" ? Math.min(y, cap) : y;
}

/**
 * Returns the empty vector of a metric. Null if no sample was requested, and for a binary metric of users, whose sums contain all
 * information.
 */
function vectorOf(
  metric: MetricQuery,
  { unit, sample }: Pick<AnalysisQuery, "unit" | "sample">,
): Vector | null {
  const hasUsers = unit !== "user";
  const needsNone = metric.kind === "binary" && !hasUsers && sample?.withUserIds !== true;
  if (sample === null || needsNone) return null;
  const users = new VectorUsers(sample.withUserIds === true, hasUsers);
  return metric.kind === "quantile" ? new BinsVector(users) : new ValuesVector(metric, users);
}

/** The users of a vector's values, as far as the query needs them. */
class VectorUsers {
  readonly #ids: string[] | null;
  readonly #units: { readonly keys: NumberList; readonly startedAt: NumberList } | null;

  constructor(hasIds: boolean, hasKeys: boolean) {
    this.#ids = hasIds ? [] : null;
    this.#units = hasKeys ? { keys: numberList(), startedAt: numberList() } : null;
  }

  add({ userId, userKey, startedAt }: SampledUser): void {
    this.#ids?.push(userId);
    if (this.#units === null) return;
    push(this.#units.keys, userKey);
    push(this.#units.startedAt, startedAt);
  }

  finish(): Pick<UserValues, "userIds" | "clusters" | "startedAt"> {
    const of = ({ numbers, length }: NumberList) => numbers.slice(0, length);
    return {
      ...(this.#ids !== null && { userIds: this.#ids }),
      ...(this.#units !== null && { clusters: of(this.#units.keys), startedAt: of(this.#units.startedAt) }),
    };
  }
}

interface Vector {
  add(y: number, values: UnitValues, user: SampledUser): void;
  finish(cap: number): UserValues | UserBins;
}

/** One value per user and kind of value. */
class ValuesVector implements Vector {
  readonly #isRatio: boolean;
  readonly #hasCovariate: boolean;
  readonly #ownCap: number;
  readonly #lists = { y: numberList(), d: numberList(), preY: numberList(), preD: numberList() };
  readonly #users: VectorUsers;

  constructor(metric: MetricQuery, users: VectorUsers) {
    const { kind, cap } = metric;
    this.#isRatio = kind === "ratio";
    this.#hasCovariate = hasCovariate(metric);
    this.#ownCap = kind === "mean" && typeof cap === "number" ? cap : Number.POSITIVE_INFINITY;
    this.#users = users;
  }

  add(y: number, values: UnitValues, user: SampledUser): void {
    const { preSum = Number.NaN, preCount = 0 } = user;
    const preY = this.#hasCovariate ? preSum : Number.NaN;
    push(this.#lists.y, y);
    push(this.#lists.d, this.#isRatio ? weightOf(values) : 1);
    push(this.#lists.preY, preY);
    push(this.#lists.preD, Number.isNaN(preY) ? Number.NaN : this.#isRatio ? preCount : 1);
    this.#users.add(user);
  }

  finish(pooled: number): UserValues {
    const cap = Math.min(this.#ownCap, pooled);
    const of = ({ numbers, length }: NumberList) => numbers.slice(0, length);
    const capped = (list: NumberList) => of(list).map((value) => Math.min(value, cap));
    const { y, d, preY, preD } = this.#lists;
    return {
      ...{ type: "values", y: capped(y), d: of(d), preY: capped(preY), preD: of(preD) },
      ...this.#users.finish(),
    };
  }
}

/** Each user's calls by fine bin. */
class BinsVector implements Vector {
  readonly #bins = numberList();
  readonly #counts = numberList();
  readonly #offsets = numberList();
  readonly #users: VectorUsers;

  constructor(users: VectorUsers) {
    push(this.#offsets, 0);
    this.#users = users;
  }

  add(_y: number, values: UnitValues, user: SampledUser): void {
    let last = Number.NaN;
    for (const bin of sortedBins(values)) {
      if (bin === last) this.#counts.numbers[this.#counts.length - 1]! += 1;
      else {
        push(this.#bins, bin);
        push(this.#counts, 1);
        last = bin;
      }
    }
    push(this.#offsets, this.#bins.length);
    this.#users.add(user);
  }

  finish(): UserBins {
    return {
      type: "bins",
      bins: Int32Array.from(this.#bins.numbers.subarray(0, this.#bins.length)),
      counts: Uint32Array.from(this.#counts.numbers.subarray(0, this.#counts.length)),
      offsets: Uint32Array.from(this.#offsets.numbers.subarray(0, this.#offsets.length)),
      ...this.#users.finish(),
    };
  }
}

/** Returns whether a metric's sample includes values from before the first exposure. */
export function hasCovariate({ kind, source }: MetricQuery): boolean {
  return source.event !== "run" && (kind === "mean" || kind === "ratio");
}
