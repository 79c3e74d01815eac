/** Statistics in their plainest form, to check the product's; they use none of its code. */

export interface Sample {
  readonly n: number;
  readonly mean: number;
  readonly variance: number;
}

/** Computes size, mean and unbiased variance in two passes. */
export function describeSample(values: readonly number[]): Sample {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return { n, mean, variance };
}

/** Welch's t with its degrees of freedom and two-sided p-value. */
export function welch(control: Sample, treatment: Sample) {
  const [c, t] = [control.variance / control.n, treatment.variance / treatment.n];
  const statistic = (treatment.mean - control.mean) / Math.sqrt(c + t);
  const df = (c + t) ** 2 / (c ** 2 / (control.n - 1) + t ** 2 / (treatment.n - 1));
  return { statistic, df, pValue: twoSidedP(Math.abs(statistic), df) };
}

/** With t = √df · tan θ the density becomes cos(θ)^(df − 1), which is summed on both sides of the statistic. */
function twoSidedP(t: number, df: number): number {
  const density = (theta: number) => Math.cos(theta) ** (df - 1);
  const from = Math.atan(t / Math.sqrt(df));
  return integrate(density, from, Math.PI / 2) / integrate(density, 0, Math.PI / 2);
}

/** Simpson's rule. */
function integrate(f: (x: number) => number, from: number, to: number): number {
  const steps = 20_000;
  const h = (to - from) / steps;
  let sum = f(from) + f(to);
  for (let i = 1; i < steps; i += 1) sum += (i % 2 === 0 ? 2 : 4) * f(from + i * h);
  return (sum * h) / 3;
}

/** Benjamini and Hochberg's corrected p-values, in the order given. */
export function benjaminiHochberg(pValues: readonly number[]): readonly number[] {
  return pValues.map((own) => {
    const candidates = pValues
      .filter((other) => other >= own)
      .map((other) => (other * pValues.length) / pValues.filter((p) => p <= other).length);
    return Math.min(1, ...candidates);
  });
}
