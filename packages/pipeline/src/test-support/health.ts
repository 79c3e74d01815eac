import {
  type AllocationPeriod,
  type ArmAgentRuns,
  type ArmExposure,
  type ArmHealth,
  type ArmSampling,
  type AttributionFacts,
  type CheckCode,
  type ExperimentUnit,
  type ExposedUsers,
  type Finding,
  type HealthCheck,
  type LoggedTraces,
  type MetricDefinition,
  NO_ATTRIBUTION_FACTS,
} from "@assay/domain";
import { experimentHealth } from "../health/checks.ts";
import { srmGate } from "../health/srm-gate.ts";
import type { JudgedMetric } from "../run-frame.ts";
import { armHealth, experimentOf, exposure } from "./runs.ts";

export const AT = Date.UTC(2026, 10, 20);
export const found = (count: number, since: number | null = AT): Finding => ({ count, since });

export interface HealthData {
  readonly arms?: readonly string[];
  readonly exposures?: readonly ArmExposure[];
  readonly health?: readonly ArmHealth[];
  readonly metrics?: readonly MetricDefinition[];
  readonly attribution?: Partial<AttributionFacts>;
  readonly strayUsers?: number;
  /** One with equal shares unless given. */
  readonly periods?: readonly AllocationPeriod[];
  readonly loggedTraces?: readonly LoggedTraces[];
  readonly sampling?: readonly ArmSampling[];
  readonly agentRuns?: readonly ArmAgentRuns[];
  /** Listed for the last arm. */
  readonly qaUsers?: readonly string[];
  readonly qaUsersSeen?: ReadonlyMap<string, number>;
  readonly assignment?: "assay" | "external";
  readonly flagKey?: string;
  readonly unit?: ExperimentUnit;
  readonly clusters?: number;
  readonly judged?: readonly JudgedMetric[];
}

/** Checks of 1,000 users per arm with one call each and no fault, unless the data say otherwise. */
export function checksOf(data: HealthData): readonly HealthCheck[] {
  const arms = data.arms ?? ["control", "treatment"];
  const health = data.health ?? arms.map((arm) => armHealth(arm, 1000));
  const exposures = data.exposures ?? arms.map((arm) => exposure(arm, 1000));
  const periods = data.periods ?? [
    { startsAt: 0, shares: Object.fromEntries(arms.map((arm) => [arm, 1 / arms.length])) },
  ];
  const srm = srmGate(exposures, periods, { seed: 1 });
  const made = experimentOf(data.metrics ?? [], arms);
  const qaUsers = { [arms.at(-1)!]: data.qaUsers ?? [] };
  const { assignment = "assay", flagKey = null, unit = "user" } = data;
  const config = { ...made.config, assignment, flagKey, unit, qaUsers };
  const experiment = { ...made, config };
  return experimentHealth({
    ...{ experiment, periods, exposures, srm, health, asOf: AT },
    attribution: { ...NO_ATTRIBUTION_FACTS, firstExposures: exposures.map(asAssigned), ...data.attribution },
    clusters: data.clusters,
    strayUsers: data.strayUsers ?? 0,
    loggedTraces: data.loggedTraces ?? [],
    sampling: data.sampling ?? [],
    agentRuns: data.agentRuns ?? null,
    qaUsersSeen: data.qaUsersSeen ?? new Map(),
    judged: data.judged ?? [],
  });
}

/** An arm's users, all exposed according to the bucket map. */
function asAssigned({ arm, users }: ArmExposure): ExposedUsers {
  return { variant: arm, assignedVariant: arm, source: "publishable", client: null, users };
}

export function checkOf(code: CheckCode, data: HealthData): HealthCheck {
  const check = checksOf(data).find((one) => one.code === code);
  if (check === undefined) throw new Error(`no check ${code}`);
  return check;
}

/** Control without a fault, treatment with this change. */
export const treated = (change: Partial<ArmHealth>, control: Partial<ArmHealth> = {}) => ({
  health: [armHealth("control", 1000, control), armHealth("treatment", 1000, change)],
});

export const severities = (data: HealthData) =>
  Object.fromEntries(checksOf(data).map(({ code, severity }) => [code, severity]));
