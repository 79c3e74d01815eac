import {
  type HealthCheck,
  type JudgeScale,
  SCALE_RANGES,
  type ScoredCall,
  type SeriesSummary,
} from "@assay/domain";
import { MIN_LABELS_PER_ARM } from "../judge/agreement.ts";
import { takesLabels } from "../judge/calibrate.ts";
import type { HealthFacts } from "./facts.ts";

/** The facts about a judged metric that the checks of its judge read. */
export interface JudgedFacts {
  readonly name: string;
  readonly scale: JudgeScale;
  /** Largest minus smallest score. */
  readonly range: number;
  readonly control: string;
  /** Null: nothing has been drawn yet. */
  readonly summary: SeriesSummary | null;
  readonly calls: readonly ScoredCall[];
  /** Labels correct the metric's effects, so the judge's errors no longer distort them. */
  readonly isCorrected: boolean;
}

/** Lists the metrics whose calls are judged. */
export function judgedFacts({ experiment, judged }: HealthFacts): readonly JudgedFacts[] {
  const { metrics, control } = experiment.config;
  return metrics.flatMap((metric) => {
    const { name, judge } = metric;
    if (metric.source.event !== "judge" || judge === null) return [];
    const { summary = null, calls = [] } = judged.find((one) => one.metric === name) ?? {};
    const { min, max } = SCALE_RANGES[judge.scale];
    const isCorrected = takesLabels(metric) && hasLabels(calls);
    return [{ name, scale: judge.scale, range: max - min, control, summary, calls, isCorrected }];
  });
}

function hasLabels(calls: readonly ScoredCall[]): boolean {
  const byArm = [...Map.groupBy(calls, ({ arm }) => arm).values()];
  return (
    byArm.length > 1 &&
    byArm.every((own) => own.filter(({ label }) => label !== null).length >= MIN_LABELS_PER_ARM)
  );
}

const WORST_FIRST: readonly HealthCheck["severity"][] = ["critical", "warning", "info", "ok", "no-data"];

/** Picks the worst result of one check over several metrics, at least one; its detail names the metric. */
export function worstCheck(checks: readonly HealthCheck[]): HealthCheck {
  return checks.reduce((worst, check) => {
    const gap = WORST_FIRST.indexOf(check.severity) - WORST_FIRST.indexOf(worst.severity);
    return gap < 0 || (gap === 0 && (check.value ?? 0) > (worst.value ?? 0)) ? check : worst;
  });
}

/** Rates a possible bias: ok unless it alarms, info if labels correct it, otherwise a warning. */
export function biasVerdict(
  isAlarming: boolean,
  { isCorrected }: Pick<JudgedFacts, "isCorrected">,
  { detail, action }: { readonly detail: string; readonly action: string },
): Pick<HealthCheck, "severity" | "detail" | "action"> {
  if (!isAlarming) return { severity: "ok", detail, action: null };
  return isCorrected
    ? { severity: "info", detail: `${detail} The labels correct the effects for it.`, action: null }
    : { severity: "warning", detail, action };
}

/** Formats a difference of scores with its sign. */
export function signed(difference: number): string {
  const digits = difference.toFixed(3);
  return difference < 0 ? digits : `+${digits}`;
}

/** Returns the labels of randomly drawn calls in the form that `agreement` takes. */
export function drawnLabels({ calls }: Pick<JudgedFacts, "calls">) {
  return calls.flatMap(({ arm, score, label }) =>
    label === null ? [] : [{ arm, score: label, judgeScore: score, isDrawn: true }],
  );
}
