import type { JUDGED_STATES } from "@assay/contract";
import type { Experiment, MetricDefinition } from "@assay/domain";
import { type JudgeAllowance, judgeAllowanceUsed, judgeLock } from "./judge-allowance.ts";
import type { JudgeStatus } from "./judging.ts";

export type JudgedState = (typeof JUDGED_STATES)[number];

/** Returns whether a metric's calls are judged, and if not, a sentence on why and what to do. */
export function judgedState(
  { config, isDemo }: Pick<Experiment, "config" | "isDemo">,
  { judge }: Pick<MetricDefinition, "judge">,
  { status, allowance }: { readonly status: JudgeStatus; readonly allowance: JudgeAllowance },
): { readonly state: JudgedState; readonly detail: string } {
  if (judge === null)
    return {
      state: "no-rubric",
      detail: "The metric has no rubric: add one that says what makes an answer good.",
    };
  if (isDemo)
    return { state: "not-running", detail: "The demo is judged when it is loaded and gets no new calls." };
  const lock = judgeLock(allowance);
  if (lock !== null) return { state: "locked", detail: lock };
  if (status.model === null) {
    const detail = "This installation has no judge: set ASSAY_JUDGE_URL and ASSAY_JUDGE_MODEL.";
    return { state: "not-configured", detail };
  }
  if (config.status !== "running") {
    const detail = `The experiment is ${config.status === "draft" ? "a draft" : config.status}: no new calls are judged.`;
    return { state: "not-running", detail };
  }
  if (status.fault !== null) return { state: "judge-failing", detail: status.fault.detail };
  const used = judgeAllowanceUsed(allowance);
  if (used !== null) return { state: "allowance-used", detail: used };
  return {
    state: "judging",
    detail: `${status.model} scores the first calls of each day within a minute. The calls that count are drawn when the day is over.`,
  };
}
