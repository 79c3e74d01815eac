import type { MetricDefinition, MetricResult } from "../api/types.ts";
import { isolated } from "./isolated.ts";
import { atMost, listed } from "./lists.ts";
import { count, counted, percent, sum } from "./numbers.ts";

export type Judge = NonNullable<MetricDefinition["judge"]>;
export type Scale = NonNullable<Judge["scale"]>;

/** The scales in words. */
export const SCALE_WORDS: Readonly<Record<Scale, string>> = {
  pass_fail: "pass or fail",
  "1-5": "1 to 5",
  "0-1": "0 to 1",
};

/** Returns the scale of a metric's judge; pass or fail by default. */
export function scaleOf(judge: Pick<Judge, "scale"> | null | undefined): Scale {
  return judge?.scale ?? "pass_fail";
}

/** Formats a score: "pass", "4 of 5", "0.70". */
export function scoreInWords(scale: Scale | null, score: number): string {
  switch (scale) {
    case "pass_fail":
      return score === 1 ? "pass" : "fail";
    case "1-5":
      return `${score} of 5`;
    case "0-1":
      return score.toFixed(2);
    case null:
      return String(score);
  }
}

/** Formats a mean score; of pass and fail as a percentage. */
export function meanScoreInWords(scale: Scale, mean: number): string {
  return scale === "pass_fail" ? percent(mean) : mean.toFixed(2);
}

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

/** Describes whether people's labels correct the judged rows of a metric; null when no judge scores it. */
export function judgeMarkInWords(
  rows: readonly Pick<MetricResult, "judge" | "control" | "treatment">[],
): JudgeMarkWords | null {
  const judged = rows.flatMap(({ judge, control, treatment }) =>
    judge ? [{ ...judge, arms: [control, treatment], treatment }] : [],
  );
  if (judged.length === 0) return null;
  const labels = new Map(judged.flatMap((row) => row.arms.map((arm) => [arm, row.labels_per_arm[arm] ?? 0])));
  const perArm = [...labels].map(([arm, number]) => `${isolated(arm)} ${count(number)}`).join(", ");
  const opinions = judged.filter(({ calibrated }) => !calibrated);
  if (opinions.length === 0) {
    const meaning = `People's labels (${perArm}) correct the judge's scores.`;
    return {
      isCalibrated: true,
      word: `calibrated with ${counted(sum([...labels.values()]), "label")}`,
      meaning,
    };
  }
  const isEnough = opinions.every(({ arms }) => arms.every((arm) => labels.get(arm)! >= LABELS_NEEDED));
  const lack = isEnough
    ? "Labels correct only averages with the default test; this metric is of another kind or has another test."
    : `${LABELS_NEEDED} labels per variant would correct it. So far: ${perArm}.`;
  const names = listed(
    atMost(
      opinions.map(({ treatment }) => isolated(treatment)),
      "more",
    ),
  );
  const ofSome = opinions.length < judged.length ? ` for ${names}` : "";
  return {
    isCalibrated: false,
    word: `judge opinion${ofSome}`,
    meaning: `The judge's scores${ofSome}, uncorrected. ${lack}`,
  };
}

/** The scores with a button and a key. */
export const SCORES: Readonly<Record<Scale, readonly number[]>> = {
  pass_fail: [0, 1],
  "1-5": [1, 2, 3, 4, 5],
  "0-1": [],
};

/** Formats a score for its button: "Pass", "4". */
export function scoreLabel(scale: Scale, score: number): string {
  return scale === "pass_fail" ? (score === 1 ? "Pass" : "Fail") : String(score);
}
