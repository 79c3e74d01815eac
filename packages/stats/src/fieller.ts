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

/** How far an arm's own 95 % limits lie below and above its estimate. */
export interface LimitDistances {
  readonly down: number;
  readonly up: number;
}

/**
 * Computes the relative lift with Fieller's interval for estimates whose limits are not symmetric (Donner & Zou 2012): the
 * ratios ρ at which treatment − ρ control is just as far from 0 as the arms' limits allow. It excludes 0 exactly when the
 * interval of the difference from the same distances does. No lift when control is not positive; no upper bound, and so no
 * interval, when control's lower limit is 0.
 */
export function fiellerFromLimits(
  control: LimitDistances & { readonly value: number },
  treatment: LimitDistances & { readonly value: number },
): RelativeEffect {
  const ratio = treatment.value / control.value;
  if (!(control.value > 0 && Number.isFinite(ratio))) return { effect: null, ciLow: null, ciHigh: null };
  const [up, down] = [control.up / control.value, treatment.down / control.value];
  // Control's upper limit may lie more than its value away, where 1 − up² turns negative: hence no square root of it.
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
