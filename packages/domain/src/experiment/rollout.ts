import { computeTargets } from "../allocation/targets.ts";
import type { FieldFault } from "../problem.ts";
import type { AllocationSlice, ExperimentConfig, Rollout } from "./config.ts";
import { holdsOf, isAssigning } from "./hold.ts";
import { datedHoldback } from "./holdback.ts";

/** The part of a rollout that callers may set. */
export type RolloutInput = Pick<Rollout, "stages" | "minMinutes">;

type Shares = Pick<ExperimentConfig, "allocation" | "control">;

const MINUTE_MS = 60_000;

/**
 * Returns the share of all buckets that a stage takes, 0 to 1, so that treatments get the stage's percent of the users. The weights do
 * not change, so arms are compared over all stages.
 */
export function coverageOfStage(percent: number, shares: Shares): number {
  return Math.min(1, percent / 100 / treatmentShare(shares));
}

function treatmentShare({ allocation, control }: Shares): number {
  const sum = (slices: readonly AllocationSlice[]) => slices.reduce((total, { weight }) => total + weight, 0);
  return sum(allocation.filter(({ variant }) => variant !== control)) / sum(allocation);
}

/** Applies a change. A rollout with new stages continues at its last stage that is not larger than the current one; null ends it. */
export function mergeRollout(
  current: Rollout | null,
  change: RolloutInput | Rollout | null | undefined,
): Rollout | null {
  if (change === undefined) return current;
  if (change !== null && "stage" in change) return change;
  if (change === null || current === null) return change && { ...pick(change), stage: 0, since: null };
  const reached = current.stages[current.stage]!;
  const stage = Math.max(
    0,
    change.stages.findLastIndex((percent) => percent <= reached),
  );
  return { ...pick(change), stage, since: current.since };
}

const pick = ({ stages, minMinutes }: RolloutInput): RolloutInput => ({ stages, minMinutes });

/** Lists the broken rules of a rollout that a schema cannot express. */
export function checkRollout({ rollout, ...shares }: ExperimentConfig): readonly FieldFault[] {
  if (rollout === null) return [];
  const { stages } = rollout;
  const fault = stages.findIndex((percent, i) => i > 0 && percent <= stages[i - 1]!);
  if (fault !== -1)
    return [
      { pointer: `/rollout/stages/${fault}`, detail: "Each stage must be larger than the one before." },
    ];
  const most = 100 * treatmentShare(shares);
  const tooLarge = stages.findIndex((percent) => percent > most * (1 + 1e-9));
  if (tooLarge !== -1) {
    const detail = `By the weights, treatments have at most ${Number(most.toPrecision(4))}% of the users.`;
    return [{ pointer: `/rollout/stages/${tooLarge}`, detail }];
  }
  const empty = armWithoutBucket(stages[0]!, shares);
  if (empty === undefined) return [];
  const bucket = Number((100 / shares.bucketCount).toPrecision(4));
  const detail = `A bucket is ${bucket}% of the users, so "${empty}" would get none: begin with a larger stage.`;
  return [{ pointer: "/rollout/stages/0", detail }];
}

/** Returns an arm that would have no bucket in a stage. Without users in every arm, no later stage could begin. */
function armWithoutBucket(
  percent: number,
  shares: Shares & Pick<ExperimentConfig, "bucketCount">,
): string | undefined {
  const { allocation, bucketCount } = shares;
  const buckets = Math.round(coverageOfStage(percent, shares) * bucketCount);
  const targets = computeTargets(
    allocation.map(({ weight }) => ({ weight, claimed: 0 })),
    buckets,
  );
  return allocation.find(({ weight }, i) => weight > 0 && targets[i] === 0)?.variant;
}

/** Lists why a rollout cannot begin now: a started experiment may already have reached more users than a small first stage. */
export function rolloutChangeFaults(
  current: ExperimentConfig,
  next: ExperimentConfig,
): readonly FieldFault[] {
  if (current.rollout !== null || next.rollout === null || current.status === "draft") return [];
  const detail =
    "A rollout can only begin when the experiment starts; this one was started without a rollout.";
  return [{ pointer: "/rollout", detail }];
}

/** Returns when the next stage may begin, epoch milliseconds; null when there is none. */
export function nextStageAt({ stages, stage, since, minMinutes }: Rollout): number | null {
  return since === null || stage >= stages.length - 1 ? null : since + minMinutes * MINUTE_MS;
}

/** Returns the next stage of a rollout; a person or the service moves to it. */
export function advanced(rollout: Rollout): Rollout {
  return { ...rollout, stage: rollout.stage + 1 };
}

/** Sets what depends on the instant at which a version is created: holds, holdback and rollout. `before` is the previous version. */
export function datedConfig(
  config: ExperimentConfig,
  before: ExperimentConfig | null,
  at: number,
): ExperimentConfig {
  return {
    ...config,
    holds: holdsOf(config, at),
    holdback: datedHoldback(config, at),
    rollout: datedRollout(config, before, at),
  };
}

/** A stage begins when the experiment starts, when a hold ends, or when the stage or its percent goes up. */
function datedRollout(config: ExperimentConfig, before: ExperimentConfig | null, at: number): Rollout | null {
  const { rollout } = config;
  if (rollout === null || !isAssigning(config)) return rollout;
  const goesOn = before !== null && isAssigning(before) && isWithin(before.rollout, rollout);
  return goesOn ? rollout : { ...rollout, since: at };
}

function isWithin(before: Rollout | null, { stages, stage }: Rollout): boolean {
  return before?.stage === stage && stages[stage]! <= before.stages[stage]!;
}
