import { normalQuantile } from "../distributions/normal.ts";
import { type ArmEstimate, fieller } from "../fieller.ts";
import type { TestOutcome } from "./test-outcome.ts";

const Z = normalQuantile(0.975);

/** An arm of a binary metric: `successes` of `n` users. */
export interface BinaryCounts {
  readonly n: number;
  readonly successes: number;
}

/** Tells whether both arms are counts that a test can read: users, and no more successes than users. */
export function areCounts(control: BinaryCounts, treatment: BinaryCounts): boolean {
  return [control, treatment].every(({ n, successes }) => n > 0 && successes >= 0 && successes <= n);
}

/** Computes the smallest expected cell of the two-by-two table if the arms did not differ; users > 0. */
export function smallestExpectedCell(control: BinaryCounts, treatment: BinaryCounts): number {
  const n = control.n + treatment.n;
  const successes = control.successes + treatment.successes;
  return (Math.min(control.n, treatment.n) * Math.min(successes, n - successes)) / n;
}

/** Computes Wilson's 95 % score interval of a proportion, within [0, 1] (Wilson 1927). */
export function wilsonInterval({ n, successes }: BinaryCounts): readonly [low: number, high: number] {
  const p = successes / n;
  const z2 = (Z * Z) / n;
  const half = Math.sqrt(((p * (1 - p)) / n) * Z * Z + (z2 * z2) / 4);
  const centre = p + z2 / 2;
  return [Math.max(0, (centre - half) / (1 + z2)), Math.min(1, (centre + half) / (1 + z2))];
}

/** Computes the 95 % hybrid score interval of treatment − control, within [−1, 1] (Newcombe 1998, method 10). */
export function newcombeInterval(
  control: BinaryCounts,
  treatment: BinaryCounts,
): readonly [low: number, high: number] {
  const [controlLow, controlHigh] = wilsonInterval(control);
  const [treatmentLow, treatmentHigh] = wilsonInterval(treatment);
  const c = control.successes / control.n;
  const t = treatment.successes / treatment.n;
  const down = Math.hypot(t - treatmentLow, controlHigh - c);
  const up = Math.hypot(treatmentHigh - t, c - controlLow);
  return [Math.max(-1, t - c - down), Math.min(1, t - c + up)];
}

/** What the tests of a binary metric share: the difference, its Newcombe interval, Wald standard error and Fieller lift. */
export function compareProportions(
  control: BinaryCounts,
  treatment: BinaryCounts,
): Omit<TestOutcome, "test" | "statistic" | "pValue"> {
  const c = toEstimate(control);
  const t = toEstimate(treatment);
  const [ciLow, ciHigh] = newcombeInterval(control, treatment);
  const standardError = Math.sqrt(c.variance + t.variance);
  const criticalValue = standardError > 0 ? Z : null;
  return {
    controlValue: c.value,
    treatmentValue: t.value,
    effect: t.value - c.value,
    ciLow,
    ciHigh,
    standardError: standardError > 0 ? standardError : null,
    criticalValue,
    relative: fieller(c, t, criticalValue),
  };
}

function toEstimate({ n, successes }: BinaryCounts): ArmEstimate {
  const value = successes / n;
  return { n, value, variance: (value * (1 - value)) / n };
}
