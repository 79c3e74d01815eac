import { murmur3 } from "@assay/bucketing";
import { weightOfEvent } from "../event/weight.ts";
import type { JudgeableCall, JudgeableCount, JudgeableQuotas } from "../ports/judgeable.ts";
import type { JudgedSeries } from "../ports/judgements.ts";
import type { Day } from "../time/day.ts";

/** Share of the drawn calls that are judged a second time, to measure how well the judge agrees with itself. */
export const REPEAT_SHARE = 0.03;

/** Number of a day's calls that are judged before the draw at the end of the day, so that the first scores arrive early. */
export const EARLY_CALLS = 20;

export interface SampleSize {
  /** Share of all judgeable calls, above 0 to 1. */
  readonly sampleRate: number;
  /** Maximum number of calls to draw; null: unlimited. */
  readonly budget: number | null;
}

/**
 * Returns the salt of the hashes that draw from a day of a series. Another version of the metric draws other users and calls. So
 * does another day, because new users add more information than the same ones again.
 */
export function sampleSalt(
  { metric, metricVersion }: Pick<JudgedSeries, "metric" | "metricVersion">,
  day: Day,
): string {
  return `${metric}:${metricVersion}:${day}`;
}

/** Returns whether a sample takes all calls, however many there are. */
export function takesAll({ sampleRate, budget }: SampleSize): boolean {
  return sampleRate === 1 && budget === null;
}

/**
 * Splits a day's sample equally among the arms that have calls, whatever their traffic, and within an arm over as many users as
 * possible: first everybody's first call by hash, then the second ones, and so on. An arm with too few calls gives all it has,
 * and the other arms share the rest.
 */
export function planSample(counts: readonly JudgeableCount[], size: SampleSize): JudgeableQuotas {
  const arms = [...callsByRank(counts)].map(([arm, calls]) => ({ arm, calls, all: sumOf(calls) }));
  let left = sampleSize(sumOf(arms.map(({ all }) => all)), arms.length, size);
  const quotas: Record<string, readonly number[]> = {};
  for (const [index, { arm, calls, all }] of arms.sort((one, other) => one.all - other.all).entries()) {
    const share = Math.min(all, Math.floor(left / (arms.length - index)));
    quotas[arm] = fill(calls, share);
    left -= share;
  }
  return quotas;
}

/** At least one call of each arm, if the budget allows. */
function sampleSize(all: number, arms: number, { sampleRate, budget }: SampleSize): number {
  // A product such as 0.07 x 200 exceeds a whole number by a rounding error.
  const wanted = arms * Math.ceil((sampleRate * all) / arms - 1e-9);
  return Math.max(0, Math.min(all, wanted, budget ?? Number.POSITIVE_INFINITY));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function fill(calls: readonly number[], size: number): readonly number[] {
  let left = size;
  return calls.map((available) => {
    const drawn = Math.min(available, left);
    left -= drawn;
    return drawn;
  });
}

/** Entry 0 of an arm is rank 1. Ranks have no gaps, because a user with a third call also has a second one. */
function callsByRank(counts: readonly JudgeableCount[]): ReadonlyMap<string, readonly number[]> {
  const arms = new Map<string, number[]>();
  for (const { arm, calls } of [...counts].sort((a, b) => a.rank - b.rank)) {
    const known = arms.get(arm);
    if (known) known.push(calls);
    else arms.set(arm, [calls]);
  }
  return arms;
}

/**
 * Returns a function that computes the probability with which a call was drawn. Each of a user's D calls is equally likely to have
 * any rank, so it is the mean of the drawn shares of the first D ranks (0 for ranks that were not counted).
 */
export function drawProbabilities(
  counts: readonly JudgeableCount[],
  quotas: JudgeableQuotas,
): (call: Pick<JudgeableCall, "arm" | "callsOfUser">) => number {
  const sums = new Map([...callsByRank(counts)].map(([arm, calls]) => [arm, shareSums(calls, quotas[arm])]));
  return ({ arm, callsOfUser }) => {
    const ofArm = sums.get(arm) ?? [];
    return (ofArm[Math.min(callsOfUser, ofArm.length) - 1] ?? 0) / callsOfUser;
  };
}

/** If samplers kept calls with different probabilities, one call stands for at most this share of an arm's weight. */
const MOST_OF_ARM = 1 / 20;

/**
 * Returns the probabilities with which samplers kept the drawn calls, so that a call also counts for the dropped ones. Weights are
 * limited to `MOST_OF_ARM`; otherwise a single call with a wrong probability could determine an arm's score.
 */
export function keptProbabilities(
  calls: readonly Pick<JudgeableCall, "arm" | "samplingProbability">[],
): readonly number[] {
  const weight = ({ samplingProbability }: Pick<JudgeableCall, "samplingProbability">) =>
    weightOfEvent(samplingProbability);
  const most = new Map(
    [...Map.groupBy(calls, ({ arm }) => arm)].map(([arm, own]) => {
      const weights = own.map(weight);
      const isEqual = weights.every((one) => one === weights[0]);
      return [arm, isEqual ? Number.POSITIVE_INFINITY : Math.max(1, MOST_OF_ARM * sumOf(weights))];
    }),
  );
  return calls.map((call) => 1 / Math.min(weight(call), most.get(call.arm)!));
}

/** Entry D - 1 is the sum of the drawn shares of ranks 1 to D. */
function shareSums(calls: readonly number[], quotas: readonly number[] = []): readonly number[] {
  let sum = 0;
  return calls.map((available, index) => {
    sum += (quotas[index] ?? 0) / available;
    return sum;
  });
}

/**
 * Chooses the drawn calls to judge twice, by hash: about 3% of them, and never more (rounded up), so that a budget of 1.03
 * evaluations per drawn call is kept. A failed call is never judged, so it is not judged twice either.
 */
export function chooseRepeats(
  drawn: readonly Pick<JudgeableCall, "eventId" | "hasFailed">[],
  salt: string,
): ReadonlySet<string> {
  const asked = drawn.filter(({ hasFailed }) => !hasFailed);
  const repeated = asked
    .map(({ eventId }) => ({ eventId, hash: murmur3(`repeat:${salt}:${eventId}`, 0) }))
    .filter(({ hash }) => hash < REPEAT_SHARE * 2 ** 32)
    .sort((a, b) => a.hash - b.hash);
  return new Set(repeated.slice(0, Math.ceil(REPEAT_SHARE * asked.length)).map(({ eventId }) => eventId));
}
