export const PLANS = ["free", "pro", "business", "enterprise"] as const;
export type Plan = (typeof PLANS)[number];

/** What a plan allows (contract §7). */
export interface PlanLimits {
  readonly maxPermutations: number;
  /** Users whose own values an analysis reads. */
  readonly maxSamplePerArm: number;
}

export const PLAN_LIMITS: Readonly<Record<Plan, PlanLimits>> = {
  free: { maxPermutations: 2_000, maxSamplePerArm: 10_000 },
  pro: { maxPermutations: 10_000, maxSamplePerArm: 100_000 },
  business: { maxPermutations: 20_000, maxSamplePerArm: 250_000 },
  enterprise: { maxPermutations: 100_000, maxSamplePerArm: 1_000_000 },
};
