import type { ArmHealth, ArmShare, CheckCode, Finding, HealthCheck } from "@assay/domain";
import { sumOf } from "@assay/stats";
import { armShares, earliest, exposedArms, type HealthFacts } from "./facts.ts";
import { alarmingGap, GAP_THRESHOLD } from "./gap.ts";
import { byArmText, gapText, percent } from "./share-text.ts";

/** A share of fewer events than this is no alarm: one bad call of twenty proves nothing. */
const MIN_COUNT = 10;
const NAMED_MODELS = 3;

/** A check of how many events of an arm have a fault. */
interface ShareRule {
  readonly code: CheckCode;
  readonly threshold: number;
  /** What is counted from, and what those counted do, to read "3 of 1000 <unit> <fault>". */
  readonly unit: string;
  readonly fault: string;
  readonly count: (arm: ArmHealth) => Finding;
  readonly of: (arm: ArmHealth) => number;
  /** A further sentence, when there is a fault. */
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
      "Send input_tokens and output_tokens with every model_call; for streamed answers ask the provider to include usage. Metrics of tokens speak only of the calls that have them.",
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
      "Add the model's price (PUT /v1/prices), or send cost_usd or the token counts with the call. Metrics of cost leave unpriced calls out.",
  },
  {
    code: "error-rate",
    threshold: 0.05,
    unit: "calls",
    fault: "ended in an error",
    count: (arm) => arm.errors,
    of: (arm) => arm.calls,
    action:
      "Look at error_type of the failed calls, arm by arm: timeouts, rate limits, refused parameters. Failed calls have no tokens and no answer, so the other metrics speak only of those that worked.",
  },
  {
    code: "truncated-answers",
    threshold: 0.02,
    unit: "completed calls",
    fault: "were cut off at the token limit",
    count: (arm) => arm.truncated,
    of: (arm) => arm.completedCalls,
    action:
      "Raise the limit on output tokens, alike in every arm: a cut answer looks faster and cheaper than it is.",
  },
  {
    code: "other-model",
    threshold: 0.01,
    unit: "calls that name a model",
    fault: "were answered by another model than configured or asked for",
    count: (arm) => arm.otherModel,
    of: (arm) => arm.callsWithModel,
    action:
      "Look for a fallback, a router or an alias between the code and the provider, and compare variables.model with the name that the provider answers.",
  },
  {
    code: "late-events",
    threshold: 0.01,
    unit: "events",
    fault: "came more than 24 hours after they occurred",
    count: (arm) => arm.late,
    of: (arm) => arm.events,
    action:
      "Flush the client when the process ends, and look at the senders' queues and clocks: a night that was analysed before lacks these events. Imported history is late by nature.",
  },
  {
    code: "future-events",
    threshold: 0.001,
    unit: "events",
    fault: "are stamped more than 5 minutes ahead of their arrival",
    count: (arm) => arm.future,
    of: (arm) => arm.events,
    action:
      "Set the senders' clocks (NTP): outcomes whose clock differs from that of the exposure fall before it and do not count.",
  },
  {
    code: "variant-conflicts",
    threshold: 0.01,
    unit: "events",
    fault: "are outcomes that name another variant than the user's first exposure, and do not count",
    count: (arm) => arm.variantConflicts,
    of: (arm) => arm.events,
    action:
      "Send the variant that was assigned, or none: it is derived then. Look for a second bucketing and for ids that change at sign-in.",
  },
];

/** Judges every check that asks how many events of an arm have a fault. */
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

/** The worst arm decides: in a total over all arms, a small arm would not show. */
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
  const found = `${total} of ${of} ${rule.unit} (${percent(total / of)}) ${rule.fault}`;
  if (total === 0) return { severity: "ok", detail: `${found}.`, action: null, value };
  const usersOf = (arm: string) => health.find((row) => row.arm === arm)!.users;
  const gap = alarmingGap(experiment.config.control, arms, usersOf);
  const isMany = shares.some(({ count, of }) => count >= MIN_COUNT && count / of >= rule.threshold);
  const remark = rule.remark === undefined ? "" : rule.remark(exposedArms({ health }));
  return {
    severity: isMany || gap !== null ? "warning" : "info",
    detail: `${found}${byArmText(arms)}${gapText(gap)}.${remark}`,
    action: rule.action,
    // The measure that alarms is the one shown.
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
    .map(([model, count]) => `${model} (${count})`);
  const rest = list.length > NAMED_MODELS ? `, and ${list.length - NAMED_MODELS} more` : "";
  return ` By model: ${list.slice(0, NAMED_MODELS).join(", ")}${rest}.`;
}
