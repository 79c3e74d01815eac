import { DEFAULT_HORIZON_WEEKS, type DecisionPlan, decidingRows, type Horizon, isCost } from "@assay/domain";
import { type PlanInput, type PlanRow, planExperiment } from "./plan-experiment.ts";

/** The longest horizon planned by default. If an effect needs more time, another metric is the better target. */
export const LONGEST_PLANNED_WEEKS = 8;
const DAYS_PER_WEEK = 7;

export interface PlannedHorizon extends Horizon {
  /** The reasons for the horizon, as text. */
  readonly notes: readonly string[];
}

export type HorizonInput = Pick<PlanInput, "config" | "shares" | "baselines" | "usersPerDay"> & {
  readonly plan: Pick<DecisionPlan, "minWeeks" | "looks" | "alpha" | "power">;
};

/**
 * Plans how many whole weeks an experiment runs: until the primary metrics find their target effects and every margin
 * is settled, with the plan's power and looks, at the known traffic. Two weeks when that cannot be computed. Pure.
 */
export function planHorizon(input: HorizonInput): PlannedHorizon {
  const { plan, usersPerDay, config } = input;
  const least = Math.max(plan.minWeeks, DEFAULT_HORIZON_WEEKS);
  const deciding = new Set(decidingRows(config.metrics).map(({ name }) => name));
  const maySave = config.metrics.some((metric) => metric.margin !== null && !isCost(metric));
  const isCompared = (name: string) =>
    deciding.has(name) ||
    (maySave && config.metrics.some((metric) => metric.name === name && isCost(metric)));
  const all = planRows(input, plan.alpha);
  const family = Math.max(1, all.filter(({ metric }) => isCompared(metric)).length);
  const better = planRows(input, plan.alpha / family).filter(({ metric }) => deciding.has(metric));
  const needs = [
    ...better.map((row) => ({ row, need: row.needed })),
    ...all.filter(hasMargin(input)).map((row) => ({ row, need: row.neededForMargin })),
  ];
  const days = needs.flatMap(({ need }) => need?.days ?? []);
  const missing = needs.filter(({ need }) => need === null).map(({ row }) => row);
  const unknown = list(missing.filter(({ baseline }) => baseline === null));
  const unreachable = list(missing.filter(({ baseline }) => baseline !== null));
  if (usersPerDay === null || days.length === 0) {
    const reasons = [
      ...(unknown ? [`nothing is known about ${unknown}`] : []),
      ...(unreachable ? [`no number of users reaches the target or margin of ${unreachable}`] : []),
    ];
    const why =
      usersPerDay === null
        ? "the users per day are not known"
        : reasons.join(" and ") || "there is no target or margin to plan for";
    const note = `The horizon is ${least} weeks because ${why}: nothing could be planned.`;
    return {
      horizonWeeks: least,
      basis: "default",
      expectedUsers: usersOf(usersPerDay, least),
      notes: [note],
    };
  }
  const wanted = Math.max(plan.minWeeks, Math.ceil(Math.max(...days) / DAYS_PER_WEEK));
  const horizonWeeks = Math.min(wanted, Math.max(plan.minWeeks, LONGEST_PLANNED_WEEKS));
  return {
    horizonWeeks,
    basis: "traffic",
    expectedUsers: usersOf(usersPerDay, horizonWeeks),
    notes: [
      ...(wanted > horizonWeeks
        ? [
            `The targets and margins would take ${wanted.toLocaleString("en-US")} weeks at this traffic; ${horizonWeeks} are planned. Set horizon_weeks to run longer.`,
          ]
        : []),
      ...(unknown ? [`The horizon leaves out ${unknown}: their spread is not known.`] : []),
      ...(unreachable
        ? [`The horizon leaves out ${unreachable}: no number of users reaches the target or margin.`]
        : []),
    ],
  };
}

function planRows(
  { config, shares, baselines, usersPerDay, plan }: HorizonInput,
  alpha: number,
): readonly PlanRow[] {
  const input = { config, shares, baselines, usersPerDay, alpha, power: plan.power };
  return planExperiment({ ...input, metrics: null, days: 1, targetEffect: null }).rows;
}

const hasMargin =
  ({ config }: HorizonInput) =>
  ({ metric }: PlanRow) =>
    config.metrics.some(({ name, margin }) => name === metric && margin !== null);

function usersOf(usersPerDay: number | null, weeks: number): number | null {
  return usersPerDay === null ? null : Math.round(usersPerDay * weeks * DAYS_PER_WEEK);
}

function list(rows: readonly PlanRow[]): string {
  return [...new Set(rows.map(({ metric }) => `"${metric}"`))].join(", ");
}
