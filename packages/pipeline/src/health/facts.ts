import {
  type AllocationPeriod,
  type ArmAgentRuns,
  type ArmExposure,
  type ArmHealth,
  type ArmSampling,
  type ArmShare,
  type AttributionFacts,
  type Experiment,
  type ExperimentConfig,
  type LoggedTraces,
  type SrmGate,
  UNIT_WORDS,
} from "@assay/domain";
import { sumOf } from "@assay/stats";
import type { JudgedMetric } from "../run-frame.ts";
import { counted, countedOf } from "./share-text.ts";

/** All input of an experiment's health checks. */
export interface HealthFacts {
  readonly experiment: Experiment;
  readonly periods: readonly AllocationPeriod[];
  readonly exposures: readonly ArmExposure[];
  /** Users who own these units; absent if users are the units. */
  readonly clusters?: number | undefined;
  /** The SRM gate's result for those exposures. */
  readonly srm: SrmGate;
  readonly health: readonly ArmHealth[];
  /** How the events arrived and which arm they count for. */
  readonly attribution: AttributionFacts;
  /** Users' traces with a logged evaluation, in arms with a share. */
  readonly loggedTraces: readonly LoggedTraces[];
  /** How many of the calls samplers kept; empty if they kept all. */
  readonly sampling: readonly ArmSampling[];
  /** Agents' runs in arms with a share; null if no metric reads them. */
  readonly agentRuns: readonly ArmAgentRuns[] | null;
  /** Users left out of `exposures`, because their arm has no share in the period of their exposure. */
  readonly strayUsers: number;
  /** Time of each QA user's first event; users without an event are absent. */
  readonly qaUsersSeen: ReadonlyMap<string, number>;
  /** The judges' scores so far. */
  readonly judged: readonly JudgedMetric[];
  /** Time of the checks; epoch milliseconds. */
  readonly asOf: number;
}

/** The words with which a check names what it counts: units and, if these are not users, their users. */
export interface CountWords {
  readonly one: string;
  readonly many: string;
  /** For example " of 30 users"; empty if users are counted. */
  readonly ofUsers: string;
  /** A count of test users, or of their units. */
  readonly ofTestUsers: (count: number) => string;
}

/** Returns the words of an experiment's unit. */
export function countWords({
  experiment,
  clusters,
}: Pick<HealthFacts, "clusters"> & {
  readonly experiment: { readonly config: Pick<ExperimentConfig, "unit"> };
}): CountWords {
  const ofUsers = clusters === undefined ? "" : ` of ${countedOf(clusters, UNIT_WORDS.user)}`;
  const { unit } = experiment.config;
  const words = UNIT_WORDS[unit];
  return {
    ...words,
    ofUsers,
    ofTestUsers: (count) => `${counted(count)} ${unit === "user" ? "" : `${words.many} of `}test users`,
  };
}

/** Says that there is nothing to check yet. */
export function nobodyExposed(facts: Parameters<typeof countWords>[0]): string {
  return `No ${countWords(facts).one} is exposed yet.`;
}

/** Returns each variant's configured model: `variables.model`, if it is a name. */
export function configuredModels({ variants }: ExperimentConfig): Readonly<Record<string, string>> {
  return Object.fromEntries(
    variants.flatMap(({ key, variables }) => {
      const model = variables?.model;
      return typeof model === "string" && model !== "" ? [[key, model]] : [];
    }),
  );
}

/** Lists the arms of exposed users. The events of other users do not count, so their quality does not matter. */
export function exposedArms({ health }: Pick<HealthFacts, "health">): readonly ArmHealth[] {
  return health.filter(({ arm }) => arm !== "");
}

/** Returns counts and shares per arm: every variant of the experiment, then other arms that events name. */
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

/** Returns the earliest instant; null when there is none. */
export function earliest(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((at) => at !== null);
  return known.length === 0 ? null : known.reduce((first, at) => Math.min(first, at));
}
