import type { ArmEstimate } from "../fieller.ts";
import type { Stratum } from "../strata.ts";

/** The ranks of two arms' users against each other. */
export interface RankSum {
  /** Pairs of a treatment and a control user in which treatment has the larger value; ties count half. */
  readonly u: number;
  readonly pairs: number;
  /** Variance of `u` if the arms do not differ, given the ties; 0 when all values are equal. */
  readonly nullVariance: number;
  readonly hasTies: boolean;
  /** The estimate of P(T > C) + P(T = C) / 2 − ½. Treatment has the value; each arm has the variance that its users contribute. */
  readonly deviation: Stratum<ArmEstimate>;
}

/** Ranks the users of two arms; null when an arm has fewer than two users or a value is NaN. */
export function rankSum(values: Stratum<Float64Array>): RankSum | null {
  const [control, treatment] = [values.control.toSorted(), values.treatment.toSorted()];
  if (control.length < 2 || treatment.length < 2) return null;
  // Sorting puts NaN last.
  if (Number.isNaN(control.at(-1)) || Number.isNaN(treatment.at(-1))) return null;
  const groups = tieGroups({ control, treatment });
  const u = wins(groups.treatment, groups.control);
  const pairs = control.length * treatment.length;
  const probability = u / pairs;
  return {
    u,
    pairs,
    nullVariance: nullVariance(groups),
    hasTies: groups.control.length < control.length + treatment.length,
    deviation: {
      control: {
        n: control.length,
        value: 0,
        variance: placementVariance(groups.control, groups.treatment, 1 - probability),
      },
      treatment: {
        n: treatment.length,
        value: probability - 0.5,
        variance: placementVariance(groups.treatment, groups.control, probability),
      },
    },
  };
}

/**
 * Computes each user's placement: the share of the other arm below the user's value, with ties counted half. As scores, the mean in
 * treatment minus the mean in control has the variance of the estimate of P(T > C) + P(T = C) / 2, but not its value.
 */
export function placements({ control, treatment }: Stratum<Float64Array>): Stratum<Float64Array> {
  return { control: sharesBelow(control, treatment), treatment: sharesBelow(treatment, control) };
}

function sharesBelow(values: Float64Array, others: Float64Array): Float64Array {
  const sorted = others.toSorted();
  const order = Uint32Array.from(values, (_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const shares = new Float64Array(values.length);
  let [below, upTo] = [0, 0];
  for (const i of order) {
    while (sorted[below]! < values[i]!) below++;
    while (sorted[upTo]! <= values[i]!) upTo++;
    shares[i] = (below + upTo) / 2 / sorted.length;
  }
  return shares;
}

/** How many users of each arm have each distinct value, in ascending order. */
type TieGroups = Stratum<readonly number[]>;

function tieGroups({ control, treatment }: Stratum<Float64Array>): TieGroups {
  const groups = { control: [] as number[], treatment: [] as number[] };
  let [c, t] = [0, 0];
  while (c < control.length || t < treatment.length) {
    const value = Math.min(control[c] ?? Number.POSITIVE_INFINITY, treatment[t] ?? Number.POSITIVE_INFINITY);
    const [fromC, fromT] = [c, t];
    while (control[c] === value) c++;
    while (treatment[t] === value) t++;
    groups.control.push(c - fromC);
    groups.treatment.push(t - fromT);
  }
  return groups;
}

/** Sums, over an arm's users, the users of the other arm with smaller values; equal ones count half. */
function wins(own: readonly number[], other: readonly number[]): number {
  let [sum, below] = [0, 0];
  for (let i = 0; i < own.length; i++) {
    sum += own[i]! * (below + other[i]! / 2);
    below += other[i]!;
  }
  return sum;
}

/** Computes the variance of `u` under the hypothesis, with its tie term (Lehmann 1975, §1.2). */
function nullVariance({ control, treatment }: TieGroups): number {
  if (control.length === 1) return 0;
  const total = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0);
  const [nC, nT] = [total(control), total(treatment)];
  const n = nC + nT;
  const ties = control.reduce((sum, c, i) => {
    const tied = c + treatment[i]!;
    return sum + tied * (tied * tied - 1);
  }, 0);
  return ((nC * nT) / 12) * (n + 1 - ties / (n * (n - 1)));
}

/**
 * Computes an arm's contribution to the variance of P(own > other) + P(own = other) / 2: the sample variance of its users'
 * placements (the share of the other arm below each) divided by their number (DeLong, DeLong & Clarke-Pearson 1988).
 */
function placementVariance(own: readonly number[], other: readonly number[], mean: number): number {
  const total = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0);
  const [n, m] = [total(own), total(other)];
  let [m2, below] = [0, 0];
  for (let i = 0; i < own.length; i++) {
    m2 += own[i]! * ((below + other[i]! / 2) / m - mean) ** 2;
    below += other[i]!;
  }
  return m2 / (n - 1) / n;
}
