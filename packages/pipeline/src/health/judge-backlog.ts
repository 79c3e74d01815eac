import { type HealthCheck, type JudgementFailure, type SeriesSummary, toInstant } from "@assay/domain";
import { sumOf } from "@assay/stats";
import { armShares, type HealthFacts } from "./facts.ts";
import { alarmingGap, GAP_THRESHOLD } from "./gap.ts";
import type { JudgedFacts } from "./judged-facts.ts";
import { byArmText, counted, gapText, partText } from "./share-text.ts";

/** A tenth of the drawn calls still waiting after a night has passed is a problem, not a queue. */
const BACKLOG_SHARE = 0.1;
const BACKLOG_MS = 12 * 3_600_000;
const FAILED_SHARE = 0.05;
/** Fewer failures in an arm never alarm. */
const MIN_COUNT = 10;

type ArmCounts = SeriesSummary["arms"][string];

function sharesOf(
  { summary }: JudgedFacts,
  facts: HealthFacts,
  counts: { readonly count: (arm: ArmCounts) => number; readonly of: (arm: ArmCounts) => number },
) {
  const list = Object.entries(summary?.arms ?? {}).map(([arm, own]) => ({
    arm,
    count: counts.count(own),
    of: counts.of(own),
  }));
  const [count, of] = [sumOf(list.map((one) => one.count)), sumOf(list.map((one) => one.of))];
  const arms = armShares(facts, list);
  const value = of === 0 ? null : Math.max(...Object.values(arms).map(({ share }) => share ?? 0));
  return { arms, value, count, of };
}

/** Checks how many drawn calls still wait for a judgement. */
export function backlogCheck(metric: JudgedFacts, facts: HealthFacts): HealthCheck {
  const { name, summary } = metric;
  const { arms, value, count, of } = sharesOf(metric, facts, {
    count: ({ pending }) => pending,
    of: ({ pending, scored, failed }) => pending + scored + failed,
  });
  const oldest = summary?.oldestPendingAt ?? null;
  const since = count === 0 ? null : oldest;
  const base = {
    code: "judge-backlog",
    measure: "share",
    threshold: BACKLOG_SHARE,
    arms,
    value,
    since,
  } as const;
  if (value === null)
    return {
      ...base,
      severity: "no-data",
      detail: `${name}: no call has been drawn yet.`,
      action: null,
    };
  const found = `${name}: ${partText(count, of, "drawn calls")} wait for their judgement`;
  if (count === 0) return { ...base, severity: "ok", detail: `${found}.`, action: null };
  const isOld = oldest !== null && facts.asOf - oldest >= BACKLOG_MS;
  return {
    ...base,
    severity: isOld && value >= BACKLOG_SHARE ? "warning" : "info",
    detail: `${found}${oldest === null ? "" : `, the first since ${toInstant(oldest)}`}.`,
    action:
      "Results cover only judged calls. If the number does not fall, check the judge's endpoint and its limits.",
  };
}

/** Checks how many judgements failed for good, and whether the share is the same in every arm. */
export function failureCheck(metric: JudgedFacts, facts: HealthFacts): HealthCheck {
  const { name, control, summary } = metric;
  const { arms, value, count, of } = sharesOf(metric, facts, {
    count: ({ failed }) => failed,
    of: ({ scored, failed }) => scored + failed,
  });
  const base = {
    code: "judge-failures",
    measure: "share",
    threshold: FAILED_SHARE,
    arms,
    value,
    since: null,
  } as const;
  if (value === null)
    return { ...base, severity: "no-data", detail: `${name}: no call has been judged yet.`, action: null };
  const found = `${name}: ${partText(count, of, "judgements")} failed`;
  if (count === 0) return { ...base, severity: "ok", detail: `${found}.`, action: null };
  // Almost every drawn call comes from a different user.
  const gap = alarmingGap(control, arms, (arm) => arms[arm]!.of);
  const isMany = Object.values(arms).some(
    ({ count, of }) => count >= MIN_COUNT && count / of >= FAILED_SHARE,
  );
  return {
    ...base,
    severity: isMany || gap !== null ? "warning" : "info",
    detail: `${found}${byArmText(arms)}${gapText(gap)}. ${causesText(summary!.failures)}`,
    action:
      "Read the reasons, fix the cause and retry the judgements. A failed judgement does not count: if the judge refuses an arm's worst answers, that arm looks too good.",
    ...(gap === null || isMany ? {} : { measure: "gap", value: gap.gap, threshold: GAP_THRESHOLD }),
  };
}

function causesText(
  failures: readonly { readonly cause: JudgementFailure; readonly count: number }[],
): string {
  const list = failures
    .toSorted((a, b) => b.count - a.count || (a.cause < b.cause ? -1 : 1))
    .map(({ cause, count }) => `${cause} ${counted(count)}`);
  return `Causes: ${list.join(", ")}.`;
}
