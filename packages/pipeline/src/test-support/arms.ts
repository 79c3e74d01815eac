import type { ArmMetric, UserValues } from "@assay/domain";
import { fineBin } from "@assay/stats";

interface Place {
  readonly metric: string;
  readonly arm: string;
  readonly period?: number;
}

/** The sums of n users whose values have this mean and variance, without a sample. */
export function sums(
  place: Place,
  users: number,
  { mean = 0, variance = 1, events = users }: { mean?: number; variance?: number; events?: number } = {},
): ArmMetric {
  return {
    period: 0,
    ...place,
    users,
    events,
    meanY: mean,
    m2Y: variance * (users - 1),
    meanD: 1,
    m2D: 0,
    cYD: 0,
    fineCounts: new Map([[0, users]]),
    sample: null,
  };
}

interface User {
  readonly y: number;
  readonly d?: number;
  readonly preY?: number;
  readonly preD?: number;
}

/** The event store's answer for these users; `sampled` leaves the last ones out of the sample, as a cap does. */
export function users(place: Place, list: readonly User[], sampled = list.length): ArmMetric {
  const [y, d] = [list.map((user) => user.y), list.map((user) => user.d ?? 1)];
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanY, meanD] = [mean(y), mean(d)];
  const column = (value: (user: User) => number) => Float64Array.from(list.slice(0, sampled), value);
  const sample: UserValues = {
    type: "values",
    y: column((user) => user.y),
    d: column((user) => user.d ?? 1),
    preY: column((user) => user.preY ?? Number.NaN),
    preD: column((user) => user.preD ?? (user.preY === undefined ? Number.NaN : 1)),
  };
  return {
    period: 0,
    ...place,
    users: list.length,
    events: d.reduce((sum, calls) => sum + calls, 0),
    meanY,
    meanD,
    m2Y: list.length * mean(y.map((value) => (value - meanY) ** 2)),
    m2D: list.length * mean(d.map((value) => (value - meanD) ** 2)),
    cYD: list.length * mean(y.map((value, i) => (value - meanY) * ((d[i] ?? 0) - meanD))),
    fineCounts: new Map([[fineBin(meanY), list.length]]),
    sample,
  };
}

/** Users by the values of their calls, for a quantile. */
export function callers(place: Place, calls: readonly (readonly number[])[]): ArmMetric {
  const offsets = [0];
  const [bins, counts]: [number[], number[]] = [[], []];
  const fineCounts = new Map<number, number>();
  for (const own of calls) {
    const perBin = new Map<number, number>();
    for (const bin of own.map(fineBin)) perBin.set(bin, (perBin.get(bin) ?? 0) + 1);
    for (const [bin, count] of [...perBin].sort(([a], [b]) => a - b)) {
      bins.push(bin);
      counts.push(count);
      fineCounts.set(bin, (fineCounts.get(bin) ?? 0) + count);
    }
    offsets.push(bins.length);
  }
  const totals = calls.map((own) => ({
    y: own.reduce((sum, value) => sum + value, 0),
    d: own.length,
  }));
  return {
    ...users(place, totals),
    fineCounts,
    sample: {
      type: "bins",
      bins: Int32Array.from(bins),
      counts: Uint32Array.from(counts),
      offsets: Uint32Array.from(offsets),
    },
  };
}

/**
 * Uniform numbers in (0, 1), reproducible by seed: a linear congruential generator (Park & Miller
 * 1988).
 */
export function uniforms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Standard normal numbers, reproducible by seed (Box & Muller 1958). */
export function normals(seed: number): () => number {
  const uniform = uniforms(seed);
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/**
 * Users with 1 to 5 calls whose values differ by user; those of treatment are larger by `effect`.
 */
export function people(seed: number, effect = 0, count = 300) {
  const normal = normals(seed);
  return Array.from({ length: count }, (_, user) => {
    const d = 1 + (user % 5);
    return { y: d * (10 + effect + normal()), d };
  });
}

/** The same users as lists of calls. */
export function calls(seed: number, effect = 0) {
  return people(seed, effect).map(({ y, d }) => Array.from({ length: d }, (_, call) => y / d + call / 10));
}
