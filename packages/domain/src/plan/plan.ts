export const PLANS = ["free", "pro", "business", "enterprise"] as const;
export type Plan = (typeof PLANS)[number];

/** What a plan allows (contract §7). */
export interface PlanLimits {
  /** Days for which raw events, with prompt and response text, are kept. */
  readonly retentionDays: number;
  readonly maxPermutations: number;
  /** Users per arm whose values an analysis reads one by one. */
  readonly maxSamplePerArm: number;
  /** Events per UTC calendar month; null: unlimited. */
  readonly monthlyEventAllowance: number | null;
  /** Judge evaluations per UTC calendar month; null: set by contract, so not limited here. */
  readonly monthlyJudgeEvaluations: number | null;
  /** Members of the org; null: unlimited. */
  readonly seats: number | null;
  /** True: events beyond the allowance are accepted and billed. False: they are refused. */
  readonly isOverageBilled: boolean;
}

export const PLAN_LIMITS: Readonly<Record<Plan, PlanLimits>> = {
  free: {
    retentionDays: 7,
    maxPermutations: 2_000,
    maxSamplePerArm: 10_000,
    monthlyEventAllowance: 50_000,
    monthlyJudgeEvaluations: 0,
    seats: 5,
    isOverageBilled: false,
  },
  pro: {
    retentionDays: 30,
    maxPermutations: 10_000,
    maxSamplePerArm: 100_000,
    monthlyEventAllowance: 1_000_000,
    monthlyJudgeEvaluations: 50_000,
    seats: 100,
    isOverageBilled: true,
  },
  business: {
    retentionDays: 90,
    maxPermutations: 20_000,
    maxSamplePerArm: 250_000,
    monthlyEventAllowance: 10_000_000,
    monthlyJudgeEvaluations: 500_000,
    seats: null,
    isOverageBilled: true,
  },
  enterprise: {
    retentionDays: 365,
    maxPermutations: 100_000,
    maxSamplePerArm: 1_000_000,
    monthlyEventAllowance: null,
    monthlyJudgeEvaluations: null,
    seats: null,
    isOverageBilled: false,
  },
};

/**
 * Returns how many events publishable keys may send in a month: a share (0 to 1) of the allowance, if the plan refuses events beyond
 * the allowance. Null: unlimited.
 */
export function publicAllowance(
  { monthlyEventAllowance, isOverageBilled }: PlanLimits,
  share: number,
): number | null {
  if (isOverageBilled || monthlyEventAllowance === null || share === 1) return null;
  return Math.floor(monthlyEventAllowance * share);
}

/** The limits of an analysis: some of the plan's limits, or the engine's if plans are not enforced. */
export type AnalysisLimits = Pick<
  PlanLimits,
  "maxPermutations" | "maxSamplePerArm" | "monthlyJudgeEvaluations"
>;

/** The limits if no plan is enforced. The embedded engine is sized and measured for these. */
const UNENFORCED: AnalysisLimits = PLAN_LIMITS.pro;

/** Returns the limits of an analysis for an org of the plan. */
export function analysisLimits(plan: Plan, isEnforced: boolean): AnalysisLimits {
  return isEnforced ? PLAN_LIMITS[plan] : UNENFORCED;
}
