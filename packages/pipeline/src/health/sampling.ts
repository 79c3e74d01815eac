import type { ArmSampling, HealthCheck } from "@assay/domain";
import { sumOf } from "@assay/stats";
import { armShares, countWords, type HealthFacts } from "./facts.ts";
import { alarmingGap, GAP_THRESHOLD } from "./gap.ts";
import { byArmText, counted, percent } from "./share-text.ts";

/** Probabilities that are closer than this count as equal, because thresholds round them. */
const SAME_PROBABILITY = 0.01;

/**
 * Compares the share of calls that samplers kept, if they dropped any. Weights compensate for dropped calls, so different shares do not
 * bias sums of calls. But different shares are rarely intended. And if exposures are on sampled spans, users are lost too, which no
 * weight compensates.
 */
export function samplingChecks({
  experiment,
  sampling,
  clusters,
}: Pick<HealthFacts, "experiment" | "sampling" | "clusters">): readonly HealthCheck[] {
  const total = (of: keyof Omit<ArmSampling, "arm">) => sumOf(sampling.map((arm) => arm[of]));
  const [sampledCalls, sampledUsers] = [total("sampledCalls"), total("sampledUsers")];
  if (sampledCalls + sampledUsers === 0) return [];
  const { control } = experiment.config;
  const kept = sampling.map(({ arm, calls, weight }) => ({ arm, count: calls, of: Math.round(weight) }));
  const arms = armShares({ experiment }, kept);
  const usersOf = (arm: string) => sampling.find((row) => row.arm === arm)!.users;
  const ofControl = sampling.find(({ arm }) => arm === control);
  const other = sampling.find((arm) => ofControl !== undefined && isOtherProbability(ofControl, arm));
  const differing = other?.arm ?? alarmingGap(control, arms, usersOf)?.arm ?? null;
  const shares = Object.values(arms).flatMap(({ share }) => share ?? []);
  const { many, ofUsers, one } = countWords({ experiment, clusters });
  const counts = `${counted(sampledCalls)} of ${counted(total("calls"))} calls are from sampled traces. The calls that arrived stand for ${counted(Math.round(total("weight")))}; kept${byArmText(arms) || `: ${shares.map(percent).join()}`}.`;
  const users =
    sampledUsers === 0
      ? ""
      : ` ${counted(sampledUsers)} of ${counted(total("users"))} ${many}${ofUsers} have their first exposure on a sampled span: ${many} of ${one === "user" ? "whom" : "which"} no trace was kept are missing, especially those with few calls.`;
  const gap = differing === null ? "" : ` The probability of ${differing} differs from control's.`;
  return [
    {
      ...{ code: "sampled-calls", measure: "gap", threshold: GAP_THRESHOLD, since: null, arms },
      severity: differing === null ? "info" : "warning",
      detail: `${counts}${users}${gap}`,
      action:
        [
          ...(differing === null ? [] : [oneProbability(many)]),
          ...(sampledUsers === 0 ? [] : [loggedEvaluations(one)]),
        ].join(" ") || null,
      value: shares.length < 2 ? null : Math.max(...shares) - Math.min(...shares),
    },
  ];
}

const oneProbability = (many: string) =>
  `Sample every variant with one probability: weights correct metrics of calls, but not for ${many} ${many === "users" ? "who" : "that"} are missing, and not for a sampler that depends on the variant's outcome.`;
const loggedEvaluations = (one: string) =>
  `Report evaluations as log records, which arrive whether or not their trace is kept: every ${one} then counts.`;

/** Returns whether each arm has a single probability, and the two differ. */
export function isOtherProbability(control: ArmSampling, arm: ArmSampling): boolean {
  const isOne = ({ smallestWeight, largestWeight }: ArmSampling) =>
    largestWeight > 0 && smallestWeight === largestWeight;
  const ratio = arm.largestWeight / control.largestWeight;
  return isOne(control) && isOne(arm) && Math.abs(Math.log(ratio)) > SAME_PROBABILITY;
}
