import type { HealthCheck } from "@assay/domain";
import { sumOf } from "@assay/stats";
import { armShares, type HealthFacts } from "./facts.ts";
import type { JudgedFacts } from "./judged-facts.ts";
import { byArmText, partText } from "./share-text.ts";

/** A judge sees only part of a long unit. If an arm has more of them, its scores rest on less text. */
const CUT_SHARE = 0.05;

/** Checks how many transcripts a judge saw only in part. */
export function cutCheck({ name, calls }: JudgedFacts, facts: HealthFacts): HealthCheck {
  const byArm = [...Map.groupBy(calls, ({ arm }) => arm)];
  const list = byArm.map(([arm, own]) => ({
    arm,
    count: own.filter(({ isCut }) => isCut).length,
    of: own.length,
  }));
  const arms = armShares(facts, list);
  const value = calls.length === 0 ? null : Math.max(...list.map(({ count, of }) => count / of));
  const base = {
    code: "judge-cut",
    measure: "share",
    threshold: CUT_SHARE,
    since: null,
    arms,
    value,
  } as const;
  if (value === null)
    return { ...base, severity: "no-data", detail: `${name}: nothing was scored yet.`, action: null };
  const cut = sumOf(list.map(({ count }) => count));
  const found = `${name}: of ${partText(cut, calls.length, "transcripts")} the judge saw the beginning and the end`;
  if (cut === 0) return { ...base, severity: "ok", detail: `${found}.`, action: null };
  return {
    ...base,
    severity: value >= CUT_SHARE ? "warning" : "info",
    detail: `${found}${byArmText(arms)}.`,
    action:
      "Write the rubric for what the beginning and the end show, or end conversations and runs earlier.",
  };
}
