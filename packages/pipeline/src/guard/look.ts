import { GUARD_COLUMNS, GUARD_GROUPS, type GuardSums, type SignalLook } from "@assay/domain";
import { alwaysValid, oneSidedEvidence, type RatioMoments, ratioMomentsOf } from "@assay/stats";
import type { WatchedSignal } from "./signals.ts";

/** The probability that a guard ever holds a harmless experiment, over all signals, treatments and starts. */
export const GUARD_ALPHA = 0.01;
/** Minimum number of an arm's user groups with events. Fewer say too little about how users differ. */
export const MIN_GUARD_GROUPS = 30;
/** Minimum number of an arm's events. The normal approximation needs as many. */
export const MIN_GUARD_EVENTS = 100;
/** A group counts for at most this many times the median number of events of a group. */
export const MAX_GROUP_WEIGHT = 8;
/** A group's mean value is limited to this many times the median of the groups' means in both arms. */
export const MAX_GROUP_VALUE = 16;
/** The number of events of both arms for which the evidence is strongest. It is small, so that harm shows within minutes. */
export const TUNED_TO = 1_500;
/** Name of the signal for the traffic split. */
export const SPLIT = "split";

interface Watched {
  readonly sums: GuardSums;
  readonly signals: readonly WatchedSignal[];
  readonly control: string;
  /** Expected shares of the users by variant; one without a share is not watched. */
  readonly shares: Readonly<Record<string, number>>;
  /** How often the guard has started counting, including this time. Each start gets a smaller part of the error. */
  readonly starts: number;
}

/**
 * Looks at every signal of every treatment. The evidence holds at any look (Waudby-Smith et al. 2021): an experiment whose harm is
 * acceptable is held with a probability of at most `GUARD_ALPHA`, however often and long the guard looks. Groups of users are the
 * clusters, so the calls of one user are not treated as independent.
 */
export function lookAtGuard({ sums, signals, control, shares, starts }: Watched): readonly SignalLook[] {
  // With control switched off, there is nothing to compare with.
  if (!Object.hasOwn(shares, control)) return [];
  const treatments = Object.keys(shares).filter((variant) => variant !== control);
  const threshold = evidenceThreshold({ treatments: treatments.length, signals: signals.length + 1, starts });
  return treatments.flatMap((treatment) => {
    const arms = { control: sums.get(control) ?? NO_SUMS, treatment: sums.get(treatment) ?? NO_SUMS };
    const expected = shares[treatment]! / (shares[treatment]! + shares[control]!);
    const users = { control: shares[control]! / shares[treatment]!, treatment: 1 };
    const looks = [
      ...signals.map((signal) => lookAtSignal(signal, arms, users)),
      lookAtSplit(arms, expected),
    ];
    return looks.map(({ logEvidence, ...look }) => ({
      ...look,
      treatment,
      evidence: logEvidence === null ? null : Math.max(0, logEvidence / threshold),
    }));
  });
}

/** Returns the log of the evidence that holds an experiment. The error is divided among treatments, signals and starts. */
export function evidenceThreshold({
  treatments,
  signals,
  starts,
}: Record<"treatments" | "signals" | "starts", number>): number {
  // The parts 6 / (π k)² of all starts k add up to 1.
  const alpha = (GUARD_ALPHA * 6) / (Math.PI * starts) ** 2;
  return Math.log((treatments * signals) / alpha);
}

/** Returns the signals that hold the experiment. */
export function harmsOf(looks: readonly SignalLook[]): readonly SignalLook[] {
  return looks.filter(({ evidence }) => evidence !== null && evidence >= 1);
}

type Columns = readonly Float64Array[];
interface Arms {
  readonly control: Columns;
  readonly treatment: Columns;
}
type RawLook = Omit<SignalLook, "treatment" | "evidence"> & { readonly logEvidence: number | null };

const NO_SUMS: Columns = [];
const NONE = new Float64Array(GUARD_GROUPS);
const EXPOSURES = GUARD_COLUMNS.indexOf("exposures");

function total(values: Float64Array): number {
  const n = values.length;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += values[i]!;
  return sum;
}

/** `users`: each arm's users, as a multiple of the treatment's. */
function lookAtSignal(
  signal: WatchedSignal,
  arms: Arms,
  users: Readonly<Record<keyof Arms, number>>,
): RawLook {
  const valuesOf = (arm: keyof Arms): Values => ({
    y: arms[arm][signal.numerator] ?? NONE,
    events: arms[arm][signal.denominator] ?? NONE,
  });
  const values = [valuesOf("control"), valuesOf("treatment")] as const;
  const largest = signal.isShare ? Number.POSITIVE_INFINITY : largestMean(values);
  const [control, treatment] = (["control", "treatment"] as const).map((arm, i): Groups => {
    const { y, events } = values[i]!;
    const d = signal.isPerUser ? new Float64Array(GUARD_GROUPS).fill(users[arm] / GUARD_GROUPS) : events;
    return { y: limited({ y, events }, largest), d, events, count: total(events) };
  }) as [Groups, Groups];
  const { name, harm, acceptable, isRelative } = signal;
  const ofControl = momentsOf(control);
  const ofTreatment = momentsOf(treatment);
  const look = {
    ...{ signal: name, acceptable, isRelative, events: control.count + treatment.count },
    controlValue: observed(control),
    treatmentValue: observed(treatment),
  };
  if (ofControl === null || ofTreatment === null) return { ...look, logEvidence: null };
  const bound = isRelative ? scaled(ofControl, 1 + harm * acceptable) : raised(ofControl, harm * acceptable);
  const z = harm * excess(bound, ofTreatment);
  // Without any spread both arms are the same, and z is not a number.
  const found = { effect: z > 0 ? z : 0, standardError: 1, n: look.events, expectedUsers: TUNED_TO };
  return { ...look, logEvidence: oneSidedEvidence(found) };
}

interface Values {
  readonly y: Float64Array;
  readonly events: Float64Array;
}

/**
 * Returns the bound on a group's absolute mean value, for both arms. Without it, one call with a broken latency would dominate its arm's
 * mean, and its spread would hide all harm. Infinite if no group exceeds the bound, which is usual and is found without sorting.
 */
function largestMean(arms: readonly Values[]): number {
  const means = new Float64Array(arms.length * GUARD_GROUPS);
  let inUse = 0;
  let largest = 0;
  for (const { y, events } of arms)
    for (let group = 0; group < GUARD_GROUPS; group++) {
      if (y[group] === 0) continue;
      const mean = Math.abs(y[group]!) / Math.max(1, events[group]!);
      means[inUse++] = mean;
      if (mean > largest) largest = mean;
    }
  let small = 0;
  for (let i = 0; i < inUse; i++) if (means[i]! < largest / MAX_GROUP_VALUE) small += 1;
  const middle = inUse >> 1;
  if (small <= middle) return Number.POSITIVE_INFINITY;
  return MAX_GROUP_VALUE * means.subarray(0, inUse).sort()[middle]!;
}

function limited({ y, events }: Values, largest: number): Float64Array {
  if (largest === Number.POSITIVE_INFINITY) return y;
  return y.map((sum, group) => {
    const most = largest * Math.max(1, events[group]!);
    return Math.min(most, Math.max(-most, sum));
  });
}

/** Compares the treatment's share of the exposures with its share of the users, in either direction. */
function lookAtSplit({ control, treatment }: Arms, expected: number): RawLook {
  const [ofControl, ofTreatment] = [control[EXPOSURES] ?? NONE, treatment[EXPOSURES] ?? NONE];
  const both = new Float64Array(GUARD_GROUPS);
  for (let group = 0; group < GUARD_GROUPS; group++) both[group] = ofControl[group]! + ofTreatment[group]!;
  const events = total(both);
  const moments = momentsOf({ y: ofTreatment, d: both, events: both, count: events });
  const share = events === 0 ? null : total(ofTreatment) / events;
  const look = {
    ...{ signal: SPLIT, acceptable: null, isRelative: false, events },
    controlValue: share === null ? null : 1 - share,
    treatmentValue: share,
  };
  if (moments === null) return { ...look, logEvidence: null };
  const effect = ratioOf(moments) - expected;
  const found = { effect, standardError: errorAround(moments, expected), n: events, expectedUsers: TUNED_TO };
  return { ...look, logEvidence: effect === 0 ? 0 : alwaysValid(found).logEvidence };
}

/** The excess of the treatment's ratio in standard errors. As in a score test, the errors assume that both arms have the same ratio. */
function excess(control: RatioMoments, treatment: RatioMoments): number {
  const total = (of: "meanY" | "meanD") => control.n * control[of] + treatment.n * treatment[of];
  const common = total("meanY") / total("meanD");
  const error = Math.hypot(errorAround(control, common), errorAround(treatment, common));
  return (ratioOf(treatment) - ratioOf(control)) / error;
}

const ratioOf = ({ meanY, meanD }: RatioMoments) => meanY / meanD;

/**
 * The standard error of an arm's ratio, computed around `ratio`. Around the arm's own ratio, it would be 0 if every call failed, and the
 * greatest harm would go unnoticed.
 */
function errorAround({ n, meanY, meanD, m2Y, m2D, cYD }: RatioMoments, ratio: number): number {
  const spread = m2Y + ratio * ratio * m2D - 2 * ratio * cYD;
  const shift = meanY - ratio * meanD;
  return Math.sqrt((Math.max(0, spread) + n * shift * shift) / (n - 1) / n) / meanD;
}

interface Groups extends Values {
  /** `events` itself, unless the ratio is per user. */
  readonly d: Float64Array;
  /** The sum of `events`. */
  readonly count: number;
}

const observed = ({ y, d, count }: Groups) => (count === 0 ? null : total(y) / total(d));

/**
 * The moments over the groups with events; null for too few. A group counts for at most `MAX_GROUP_WEIGHT` times the median group:
 * otherwise one user with most of an arm's events would determine its ratio, and make it look certain. If the ratio is per user, groups
 * without events count too.
 */
function momentsOf({ y, d, events, count }: Groups): RatioMoments | null {
  const isOfUsers = events !== d;
  const n = d.length;
  const counts = new Float64Array(n);
  let inUse = 0;
  for (let group = 0; group < n; group++)
    if (events[group]! > 0 || y[group] !== 0) counts[inUse++] = events[group]!;
  if (inUse < MIN_GUARD_GROUPS || count < MIN_GUARD_EVENTS) return null;
  const most = mostOf(counts.subarray(0, inUse));
  if (most === Number.POSITIVE_INFINITY && (isOfUsers || inUse === n)) return ratioMomentsOf({ y, d });
  const weighted = { y: new Float64Array(n), d: new Float64Array(n) };
  let used = 0;
  for (let group = 0; group < n; group++) {
    const of = events[group]!;
    if (!isOfUsers && of <= 0 && y[group] === 0) continue;
    const weight = of > most ? most / of : 1;
    weighted.y[used] = weight * y[group]!;
    weighted.d[used] = isOfUsers ? d[group]! : weight * d[group]!;
    used += 1;
  }
  return ratioMomentsOf({ y: weighted.y.subarray(0, used), d: weighted.d.subarray(0, used) });
}

/** Returns the bound on the events that a group counts for. Infinite if no group exceeds it, which is usual and found without sorting. */
function mostOf(counts: Float64Array): number {
  const n = counts.length;
  let largest = 0;
  for (let i = 0; i < n; i++) if (counts[i]! > largest) largest = counts[i]!;
  const little = largest / MAX_GROUP_WEIGHT;
  let small = 0;
  for (let i = 0; i < n; i++) if (counts[i]! < little) small += 1;
  const middle = n >> 1;
  if (small <= middle) return Number.POSITIVE_INFINITY;
  return MAX_GROUP_WEIGHT * Math.max(1, counts.sort()[middle]!);
}

/** The moments after multiplying every y by `factor`. */
function scaled(moments: RatioMoments, factor: number): RatioMoments {
  const { meanY, m2Y, cYD } = moments;
  return { ...moments, meanY: factor * meanY, m2Y: factor * factor * m2Y, cYD: factor * cYD };
}

/** The moments after raising every ratio by `by`: y + by · d instead of y. */
function raised(moments: RatioMoments, by: number): RatioMoments {
  const { meanY, meanD, m2Y, m2D, cYD } = moments;
  return {
    ...moments,
    meanY: meanY + by * meanD,
    m2Y: m2Y + 2 * by * cYD + by * by * m2D,
    cYD: cYD + by * m2D,
  };
}
