import {
  type ArmHealth,
  type ArmShare,
  type CheckCode,
  type Finding,
  type HealthCheck,
  UNIT_WORDS,
} from "@assay/domain";
import { sumOf } from "@assay/stats";
import { armShares, earliest, exposedArms, type HealthFacts } from "./facts.ts";
import { alarmingGap, GAP_THRESHOLD } from "./gap.ts";
import { byArmText, counted, gapText, partText } from "./share-text.ts";

/** Fewer faulty events than this never alarm: one bad call in twenty proves nothing. */
const MIN_COUNT = 10;
const NAMED_MODELS = 3;

/** A check that counts the events of an arm with a fault. */
interface ShareRule {
  readonly code: CheckCode;
  readonly threshold: number;
  /** The noun and the verb phrase of "3 of 1000 <unit> <fault>". */
  readonly unit: string;
  readonly fault: string | ((one: string) => string);
  readonly count: (arm: ArmHealth) => Finding;
  readonly of: (arm: ArmHealth) => number;
  /** An additional sentence when there is a fault. */
  readonly remark?: (arms: readonly ArmHealth[]) => string;
  readonly action: string;
}

/** Thresholds and their reasons: docs/health.md. */
const RULES: readonly ShareRule[] = [
  {
    code: "missing-usage",
    threshold: 0.01,
    unit: "completed calls",
    fault: "carry no token usage",
    count: (arm) => arm.missingUsage,
    of: (arm) => arm.completedCalls,
    action:
      "Send input_tokens and output_tokens with every model_call; for streamed answers, ask the provider to include usage. Token metrics cover only calls that have them.",
  },
  {
    code: "unpriced-calls",
    threshold: 0.01,
    unit: "completed calls",
    fault: "carry no cost and could not be priced",
    count: (arm) => arm.unpriced,
    of: (arm) => arm.completedCalls,
    remark: unpricedModels,
    action:
      "Add the model's price (PUT /v1/prices), or send cost_usd or the token counts with the call. Cost metrics leave out unpriced calls.",
  },
  {
    code: "error-rate",
    threshold: 0.05,
    unit: "calls",
    fault: "ended in an error",
    count: (arm) => arm.errors,
    of: (arm) => arm.calls,
    action:
      "Look at error_type of the failed calls, arm by arm: timeouts, rate limits, rejected parameters. Failed calls have no tokens and no answer, so the other metrics cover only successful calls.",
  },
  {
    code: "truncated-answers",
    threshold: 0.02,
    unit: "completed calls",
    fault: "were cut off at the token limit",
    count: (arm) => arm.truncated,
    of: (arm) => arm.completedCalls,
    action:
      "Raise the limit on output tokens equally in every arm: a cut-off answer looks faster and cheaper than it is.",
  },
  {
    code: "cut-streams",
    threshold: 0.05,
    unit: "calls",
    fault: "are streams that were cut short, so that their tokens are estimates",
    count: (arm) => arm.cutStreams,
    of: (arm) => arm.calls,
    action:
      "Find out who ends the streams: users who leave, timeouts, proxies or a provider that drops connections. A cut answer looks shorter and cheaper than it is, and estimates of tokens are rough.",
  },
  {
    code: "other-model",
    threshold: 0.01,
    unit: "calls that name a model",
    fault: "were answered by a different model than configured or requested",
    count: (arm) => arm.otherModel,
    of: (arm) => arm.callsWithModel,
    action:
      "Look for a fallback, a router or an alias between the code and the provider, and compare variables.model with the model name in the provider's answer.",
  },
  {
    code: "late-events",
    threshold: 0.01,
    unit: "events",
    fault: "arrived more than 24 hours after they occurred",
    count: (arm) => arm.late,
    of: (arm) => arm.events,
    action:
      "Flush the client when the process ends, and check the senders' queues and clocks: earlier nightly runs missed these events. Imported history is always late.",
  },
  {
    code: "future-events",
    threshold: 0.001,
    unit: "events",
    fault: "have timestamps more than 5 minutes after their arrival",
    count: (arm) => arm.future,
    of: (arm) => arm.events,
    action:
      "Synchronize the senders' clocks (NTP). If a clock is off, an outcome can appear to precede its exposure and then does not count.",
  },
  {
    code: "variant-conflicts",
    threshold: 0.01,
    unit: "events",
    fault: (one) =>
      `are outcomes that name a different variant than the ${one}'s first exposure, and do not count`,
    count: (arm) => arm.variantConflicts,
    of: (arm) => arm.events,
    action:
      "Send the assigned variant, or none: Assay then derives it. Look for a second bucketing and for ids that change at sign-in.",
  },
];

/** Runs every check that counts faulty events. */
export function shareChecks(facts: HealthFacts): readonly HealthCheck[] {
  const health = exposedArms(facts);
  return RULES.map((rule) => {
    const { code, threshold } = rule;
    const counts = health.map((arm) => ({ arm: arm.arm, count: rule.count(arm).count, of: rule.of(arm) }));
    const arms = armShares(facts, counts);
    const verdict = judge(rule, arms, facts);
    const since = earliest(health.map((arm) => rule.count(arm).since));
    return { code, measure: "share", threshold, since, arms, ...verdict };
  });
}

type Verdict = Pick<HealthCheck, "severity" | "detail" | "action" | "value"> &
  Partial<Pick<HealthCheck, "measure" | "threshold">>;

/** The worst arm decides, because a total over all arms would hide a fault in a small arm. */
function judge(
  rule: ShareRule,
  arms: Readonly<Record<string, ArmShare>>,
  { experiment, health }: HealthFacts,
): Verdict {
  const shares = Object.values(arms);
  const total = sumOf(shares.map(({ count }) => count));
  const of = sumOf(shares.map((arm) => arm.of));
  if (of === 0) {
    return { severity: "no-data", detail: `There are no ${rule.unit} yet.`, action: null, value: null };
  }
  const value = Math.max(...shares.map(({ share }) => share ?? 0));
  const found = `${partText(total, of, rule.unit)} ${typeof rule.fault === "string" ? rule.fault : rule.fault(UNIT_WORDS[experiment.config.unit].one)}`;
  if (total === 0) return { severity: "ok", detail: `${found}.`, action: null, value };
  const usersOf = (arm: string) => health.find((row) => row.arm === arm)!.users;
  const gap = alarmingGap(experiment.config.control, arms, usersOf);
  const isMany = shares.some(({ count, of }) => count >= MIN_COUNT && count / of >= rule.threshold);
  const remark = rule.remark === undefined ? "" : rule.remark(exposedArms({ health }));
  return {
    severity: isMany || gap !== null ? "warning" : "info",
    detail: `${found}${byArmText(arms)}${gapText(gap)}.${remark}`,
    action: rule.action,
    // Show the measure that alarms.
    ...(gap === null || isMany ? { value } : { measure: "gap", value: gap.gap, threshold: GAP_THRESHOLD }),
  };
}

function unpricedModels(arms: readonly ArmHealth[]): string {
  const calls = new Map<string, number>();
  for (const { model, unpricedCalls } of arms.flatMap(({ models }) => models)) {
    if (unpricedCalls > 0) calls.set(model, (calls.get(model) ?? 0) + unpricedCalls);
  }
  if (calls.size === 0) return "";
  const list = [...calls]
    .sort(([a, callsOfA], [b, callsOfB]) => callsOfB - callsOfA || (a < b ? -1 : 1))
    .map(([model, count]) => `${model} (${counted(count)})`);
  const rest = list.length > NAMED_MODELS ? `, and ${list.length - NAMED_MODELS} more` : "";
  return ` By model: ${list.slice(0, NAMED_MODELS).join(", ")}${rest}.`;
}
