import type { MetricDefinition } from "../api/types.ts";
import { percent } from "./numbers.ts";

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
