/** An arm's estimate: a mean, ratio or proportion, and the variance of that estimate. */
export interface ArmEstimate {
  readonly n: number;
  readonly value: number;
  readonly variance: number;
}

/** Relative lift (0.1 = +10%) with its 95% interval; null where it is undefined. */
export interface RelativeEffect {
  readonly effect: number | null;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
}

/**
 * Computes the relative lift treatment / control − 1 with Fieller's interval (Fieller 1954). With the absolute test's critical
 * value, the interval excludes 0 exactly when that test rejects. There is no lift if control is not positive. There is no interval
 * without a critical value, or if control is not significantly positive (A = m² − c²v ≤ 0): the interval is then unbounded.
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

/**
 * Computes the relative lift with Fieller's interval for arms whose estimates are correlated. Treatment is split into a part
 * proportional to control, which moves the ratio by a constant, and a part that is independent of it.
 */
export function fiellerOfCorrelated(
  control: ArmEstimate,
  treatment: ArmEstimate,
  { covariance, criticalValue }: { readonly covariance: number; readonly criticalValue: number | null },
): RelativeEffect {
  const slope = control.variance > 0 ? covariance / control.variance : 0;
  const rest = {
    n: treatment.n,
    value: treatment.value - slope * control.value,
    variance: Math.max(0, treatment.variance - slope * covariance),
  };
  const { ciLow, ciHigh } = fieller(control, rest, criticalValue);
  return {
    effect: fieller(control, treatment, null).effect,
    ciLow: ciLow === null ? null : ciLow + slope,
    ciHigh: ciHigh === null ? null : ciHigh + slope,
  };
}

/** The distances of an arm's 95% limits below and above its estimate. */
export interface LimitDistances {
  readonly down: number;
  readonly up: number;
}

/**
 * Computes the relative lift with Fieller's interval for estimates with asymmetric limits (Donner & Zou 2012). The bounds are the
 * ratios ρ at which treatment − ρ control is as far from 0 as the arms' limits allow. The interval excludes 0 exactly when the
 * interval of the difference, from the same distances, does. There is no lift if control is not positive, and no upper bound, so
 * no interval, if control's lower limit is 0.
 */
export function fiellerFromLimits(
  control: LimitDistances & { readonly value: number },
  treatment: LimitDistances & { readonly value: number },
): RelativeEffect {
  const ratio = treatment.value / control.value;
  if (!(control.value > 0 && Number.isFinite(ratio))) return { effect: null, ciLow: null, ciHigh: null };
  const [up, down] = [control.up / control.value, treatment.down / control.value];
  // The upper limit may be further from control than control's value. Then 1 − up² is negative, so do not take its square root.
  const low =
    (ratio * ratio - down * down) /
    (ratio + Math.sqrt(up * up * (ratio * ratio - down * down) + down * down));
  const g = (control.down / control.value) ** 2;
  const above = treatment.up / control.value;
  const high = (ratio + Math.sqrt(g * ratio * ratio + above * above * (1 - g))) / (1 - g);
  const isBounded = g < 1 && Number.isFinite(high);
  return isBounded
    ? { effect: ratio - 1, ciLow: ratio === 0 ? -1 : low - 1, ciHigh: high - 1 }
    : { effect: ratio - 1, ciLow: null, ciHigh: null };
}
