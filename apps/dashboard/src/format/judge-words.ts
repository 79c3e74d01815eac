import type { MetricResult } from "../api/types.ts";
import { count, counted, percent } from "./numbers.ts";
import { type Judge, SCALE_WORDS, scaleOf } from "./scores.ts";

/** The service's default. */
export const DEFAULT_SAMPLE_RATE = 0.1;

/** Describes a judge's scale and sample: "pass or fail, 10% of the calls". */
export function judgeInWords(judge: Judge): string {
  return `${SCALE_WORDS[scaleOf(judge)]}, ${percent(judge.sample_rate ?? DEFAULT_SAMPLE_RATE)} of the calls`;
}

/** Contract: labels that each arm needs before they correct a judge's scores. */
export const LABELS_NEEDED = 50;

/** How far a judged row can be trusted, in short and explained. */
export interface JudgeMarkWords {
  readonly isCalibrated: boolean;
  readonly word: string;
  readonly meaning: string;
}

/** Describes whether people's labels correct a judged row; null when no judge scores it. */
export function judgeMarkInWords(
  row: Pick<MetricResult, "judge" | "control" | "treatment">,
): JudgeMarkWords | null {
  if (row.judge === null || row.judge === undefined) return null;
  const { calibrated: isCalibrated, labels_per_arm: labels } = row.judge;
  const counts = [row.control, row.treatment].map((arm) => [arm, labels[arm] ?? 0] as const);
  const perArm = counts.map(([arm, number]) => `${arm} ${count(number)}`).join(", ");
  if (isCalibrated) {
    const total = counts.reduce((sum, [, number]) => sum + number, 0);
    const meaning = `People's labels (${perArm}) correct the judge's scores.`;
    return { isCalibrated, word: `calibrated with ${counted(total, "label")}`, meaning };
  }
  const isEnough = counts.every(([, number]) => number >= LABELS_NEEDED);
  const lack = isEnough
    ? "Labels correct only averages with the default test; this metric is of another kind or has another test."
    : `${LABELS_NEEDED} labels per variant would correct it. So far: ${perArm}.`;
  return { isCalibrated, word: "judge opinion", meaning: `The judge's scores, uncorrected. ${lack}` };
}
