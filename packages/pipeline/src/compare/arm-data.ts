import type { AllocationPeriod, ArmMetric, UserBins, UserValues } from "@assay/domain";
import { countClusters, mergeRatioMoments, type RatioMoments, type Stratum } from "@assay/stats";

/** One arm's data of a metric within comparable periods. */
export interface ArmData {
  /** Users that have the metric; the sample may contain fewer. */
  readonly users: number;
  readonly moments: RatioMoments;
  readonly values: UserValues | null;
  readonly bins: UserBins | null;
}

/** The two arms of comparable allocation periods, by index. */
export interface PeriodStratum extends Stratum<ArmData> {
  readonly periods: readonly number[];
}

export interface Strata {
  readonly strata: readonly PeriodStratum[];
  /** Users of periods that cannot be compared, because an arm has too few users there. */
  readonly leftOutUsers: number;
}

/** With fewer users than this, an arm's spread in a period cannot be estimated (statistics §1). */
const MIN_USERS_PER_STRATUM = 30;
/** Ratios that are closer than this differ only by rounding, because shares are quotients of whole buckets. */
const SAME_RATIO = 1e-9;

/** Picks two arms' rows of a metric, and arranges them by the periods in which the two arms can be compared. */
export function pairStrata(
  rows: readonly ArmMetric[],
  pair: { readonly control: string; readonly treatment: string },
  periods: readonly AllocationPeriod[],
): Strata {
  const of = (arm: string) => rows.filter((row) => row.arm === arm);
  return toStrata(
    { control: of(pair.control), treatment: of(pair.treatment) },
    comparablePeriods(periods, pair),
  );
}

/**
 * Arranges one metric's rows of two arms by groups of comparable periods. If there are several groups, those with fewer
 * than 30 users in an arm are left out; if all are that small, only the largest stays.
 */
export function toStrata(
  rows: { readonly control: readonly ArmMetric[]; readonly treatment: readonly ArmMetric[] },
  groups: readonly (readonly number[])[],
): Strata {
  const all = groups
    .map((group) => ({
      control: armData(rows.control, group),
      treatment: armData(rows.treatment, group),
      periods: group,
    }))
    .filter((stratum) => smallerArm(stratum) > 0);
  const large = all.filter((stratum) => smallerArm(stratum) >= MIN_USERS_PER_STRATUM);
  const [largest] = all.toSorted((a, b) => smallerArm(b) - smallerArm(a));
  const strata = large.length > 0 ? large : largest === undefined ? [] : [largest];
  const users = [...rows.control, ...rows.treatment].reduce((sum, row) => sum + row.users, 0);
  return { strata, leftOutUsers: users - strata.reduce((sum, stratum) => sum + bothArms(stratum), 0) };
}

/** Joins one arm's rows of the periods with these indexes. */
export function armData(rows: readonly ArmMetric[], group: readonly number[]): ArmData {
  const own = rows.filter(({ period }) => group.includes(period));
  const samples = own.flatMap(({ sample }) => (sample === null ? [] : [sample]));
  const isSampled = samples.length === own.length;
  const values = samples.filter((sample) => sample.type === "values");
  const bins = samples.filter((sample) => sample.type === "bins");
  return {
    users: own.reduce((sum, { users }) => sum + users, 0),
    moments: own.map(toMoments).reduce(mergeRatioMoments, NO_USERS),
    values: isSampled && values.length > 0 ? joinValues(values) : null,
    bins: isSampled && bins.length > 0 ? joinBins(bins) : null,
  };
}

const NO_USERS: RatioMoments = { n: 0, meanY: 0, meanD: 0, m2Y: 0, m2D: 0, cYD: 0 };

function toMoments({ users, meanY, meanD, m2Y, m2D, cYD }: ArmMetric): RatioMoments {
  return { n: users, meanY, meanD, m2Y, m2D, cYD };
}

function smallerArm({ control, treatment }: Stratum<ArmData>): number {
  return Math.min(independentUsers(control), independentUsers(treatment));
}

function bothArms({ control, treatment }: Stratum<ArmData>): number {
  return control.users + treatment.users;
}

function joinValues(parts: readonly UserValues[]): UserValues {
  const join = (column: "y" | "d" | "preY" | "preD") => joined(parts.map((part) => part[column]));
  return {
    type: "values",
    ...{ y: join("y"), d: join("d"), preY: join("preY"), preD: join("preD") },
    ...joinUnits(parts),
  };
}

type OfUnits = Pick<UserValues, "clusters" | "startedAt">;

/** Joins the users and start times of the periods' units. Leaves out what some period lacks. */
function joinUnits(parts: readonly OfUnits[]): OfUnits {
  const clusters = parts.flatMap((part) => part.clusters ?? []);
  const startedAt = parts.flatMap((part) => part.startedAt ?? []);
  if (clusters.length < parts.length) return {};
  return {
    clusters: joined(clusters),
    ...(startedAt.length === parts.length && { startedAt: joined(startedAt) }),
  };
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Returns the user of each unit of an arm; null when users are the units. */
export function clustersOf({ values, bins }: Pick<ArmData, "values" | "bins">): Float64Array | null {
  return (values ?? bins)?.clusters ?? null;
}

/** Counts the users of an arm; if the unit is not the user, the users who own its units. */
export function independentUsers(arm: ArmData): number {
  const clusters = clustersOf(arm);
  return clusters === null ? arm.users : countClusters([clusters]);
}

function joinBins(parts: readonly UserBins[]): UserBins {
  const entries = parts.reduce((sum, { bins }) => sum + bins.length, 0);
  const users = parts.reduce((sum, { offsets }) => sum + offsets.length - 1, 0);
  const bins = new Int32Array(entries);
  const counts = new Uint32Array(entries);
  const offsets = new Uint32Array(users + 1);
  let [entry, user] = [0, 0];
  for (const part of parts) {
    bins.set(part.bins, entry);
    counts.set(part.counts, entry);
    for (const offset of part.offsets.subarray(1)) offsets[++user] = entry + offset;
    entry += part.bins.length;
  }
  return { type: "bins", bins, counts, offsets, ...joinUnits(parts) };
}

/**
 * Groups the allocation periods (by index) that dealt users to two arms at the same ratio. Within a group, arms without an
 * effect differ only by chance; across groups, they also differ by when their users came (Simpson's paradox). A period that
 * gave one of the arms no users cannot be compared and is in no group.
 */
export function comparablePeriods(
  periods: readonly AllocationPeriod[],
  arms: { readonly control: string; readonly treatment: string },
): readonly (readonly number[])[] {
  const groups: { readonly ratio: number; readonly members: number[] }[] = [];
  for (const [index, { shares }] of periods.entries()) {
    const [control, treatment] = [shares[arms.control] ?? 0, shares[arms.treatment] ?? 0];
    if (control === 0 || treatment === 0) continue;
    const ratio = treatment / (control + treatment);
    const group = groups.find((other) => Math.abs(other.ratio - ratio) < SAME_RATIO);
    if (group) group.members.push(index);
    else groups.push({ ratio, members: [index] });
  }
  return groups.map(({ members }) => members);
}
