import type { MetricResult } from "../api/types.ts";
import { count, counted, percent } from "./numbers.ts";
import { type Judge, SCALE_WORDS, scaleOf } from "./scores.ts";

/** What the service takes where a judge does not say. */
export const DEFAULT_SAMPLE_RATE = 0.1;

/** Writes how a judge scores and how many calls it is shown: "pass or fail, 10 % of the calls". */
export function judgeInWords(judge: Judge): string {
  return `${SCALE_WORDS[scaleOf(judge)]}, ${percent(judge.sample_rate ?? DEFAULT_SAMPLE_RATE)} of the calls`;
}

/** Contract: labels of each arm before they correct a judge's scores. */
export const LABELS_NEEDED = 50;

/** How far a judged row can be trusted, shortly and with what to know of it. */
export interface JudgeMarkWords {
  readonly isCalibrated: boolean;
  readonly word: string;
  readonly meaning: string;
}

/** Says whether people's labels correct a judged row; null when no judge scores it. */
export function judgeMarkInWords(
  row: Pick<MetricResult, "judge" | "control" | "treatment">,
): JudgeMarkWords | null {
  if (row.judge === null || row.judge === undefined) return null;
  const { calibrated: isCalibrated, labels_per_arm: labels } = row.judge;
  const counts = [row.control, row.treatment].map((arm) => [arm, labels[arm] ?? 0] as const);
  const perArm = counts.map(([arm, number]) => `${arm} ${count(number)}`).join(", ");
  if (isCalibrated) {
    const total = counts.reduce((sum, [, number]) => sum + number, 0);
    const meaning = `People's labels (${perArm}) correct what the judge says of all its answers.`;
    return { isCalibrated, word: `calibrated with ${counted(total, "label")}`, meaning };
  }
  const isEnough = counts.every(([, number]) => number >= LABELS_NEEDED);
  const lack = isEnough
    ? "Labels correct only averages that are tested by default; this row is counted or tested otherwise."
    : `${LABELS_NEEDED} labels per variant correct it; there are: ${perArm}.`;
  return { isCalibrated, word: "judge opinion", meaning: `What the judge alone says. ${lack}` };
}
