/** An arm's estimate: a mean, ratio or proportion, and the variance of that estimate. */
export interface ArmEstimate {
  readonly n: number;
  readonly value: number;
  readonly variance: number;
}

/** Relative lift (0.1 = +10 %) with its 95 % interval; null where it is undefined. */
export interface RelativeEffect {
  readonly effect: number | null;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
}

/**
 * Computes the relative lift treatment / control − 1 with Fieller's interval (Fieller 1954). With the critical value of
 * the absolute test it excludes 0 exactly when that test rejects. No lift when control is not positive; no interval when
 * control is not significantly positive (A = m² − c²v ≤ 0), for then it is unbounded, or when there is no critical value.
 */
export function fieller(
  control: ArmEstimate,
  treatment: ArmEstimate,
  criticalValue: number | null,
): RelativeEffect {
  const effect = (treatment.value - control.value) / control.value;
  if (!(control.value > 0 && Number.isFinite(effect))) return { effect: null, ciLow: null, ciHigh: null };
  if (criticalValue === null) return { effect, ciLow: null, ciHigh: null };
  const controlSe = (criticalValue * Math.sqrt(control.variance)) / control.value;
  const treatmentSe = (criticalValue * Math.sqrt(treatment.variance)) / control.value;
  const g = controlSe * controlSe;
  const half = Math.hypot((1 + effect) * controlSe, treatmentSe * Math.sqrt(1 - g));
  const [ciLow, ciHigh] = [(effect + g - half) / (1 - g), (effect + g + half) / (1 - g)];
  const isBounded = g < 1 && Number.isFinite(ciLow) && Number.isFinite(ciHigh);
  return isBounded ? { effect, ciLow, ciHigh } : { effect, ciLow: null, ciHigh: null };
}
