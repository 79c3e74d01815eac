import type {
  AllocationPeriod,
  ArmExposure,
  ArmHealth,
  ArmShare,
  Experiment,
  ExperimentConfig,
  HealthQuery,
  PriceList,
  SrmGate,
} from "@assay/domain";
import { sumOf } from "@assay/stats";
import type { JudgedMetric } from "../run-frame.ts";

/** Everything that the checks of an experiment's health are judged from. */
export interface HealthFacts {
  readonly experiment: Experiment;
  readonly periods: readonly AllocationPeriod[];
  readonly exposures: readonly ArmExposure[];
  /** The gate on those exposures. */
  readonly srm: SrmGate;
  readonly health: readonly ArmHealth[];
  /** What judges say so far. */
  readonly judged: readonly JudgedMetric[];
  /** Of the judging; epoch milliseconds. */
  readonly asOf: number;
}

/** Builds the question whose answer is `HealthFacts.health`; `until` is exclusive, epoch milliseconds. */
export function healthQuery(experiment: Experiment, until: number, { prices }: PriceList): HealthQuery {
  const { orgId, id: experimentId, config } = experiment;
  return { orgId, experimentId, until, prices, configuredModels: configuredModels(config) };
}

/** Returns the model that each variant is configured with: `variables.model`, when that is a name. */
export function configuredModels({ variants }: ExperimentConfig): Readonly<Record<string, string>> {
  return Object.fromEntries(
    variants.flatMap(({ key, variables }) => {
      const model = variables?.model;
      return typeof model === "string" && model !== "" ? [[key, model]] : [];
    }),
  );
}

/** Lists the arms that have users: those without one count nowhere, so neither does the quality of their events. */
export function exposedArms({ health }: Pick<HealthFacts, "health">): readonly ArmHealth[] {
  return health.filter(({ arm }) => arm !== "");
}

/** Counts something per arm: every variant of the experiment, then arms that events name beside them. */
export function armShares(
  { experiment: { config } }: Pick<HealthFacts, "experiment">,
  counts: readonly { readonly arm: string; readonly count: number; readonly of: number }[],
): Readonly<Record<string, ArmShare>> {
  const arms = new Set([...config.variants.map(({ key }) => key), ...counts.map(({ arm }) => arm).sort()]);
  return Object.fromEntries(
    [...arms].map((arm) => {
      const own = counts.filter((row) => row.arm === arm);
      const count = sumOf(own.map((row) => row.count));
      const of = sumOf(own.map((row) => row.of));
      return [arm, { count, of, share: of === 0 ? null : count / of }];
    }),
  );
}

/** The earliest of the instants that there are; null: none. */
export function earliest(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((at) => at !== null);
  return known.length === 0 ? null : known.reduce((first, at) => Math.min(first, at));
}
