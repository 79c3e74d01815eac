import type { MetricResult } from "../../../api/types.ts";
import { LABELS_NEEDED } from "../../../format/judge-words.ts";
import { count, number, sum } from "../../../format/numbers.ts";

interface EffectRow {
  readonly name: string;
  readonly effect: number;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
  readonly test: string;
}

/** Lists a row's effect without labels and, if they correct it, with labels. */
export function effectRows({ judge, effect, ci_low, ci_high, test }: MetricResult): readonly EffectRow[] {
  const shown = { effect, ciLow: ci_low, ciHigh: ci_high, test };
  const alone = judge?.uncalibrated ?? null;
  if (alone === null) return [{ name: "Judge alone", ...shown }];
  return [
    {
      name: "Judge alone",
      effect: alone.effect,
      ciLow: alone.ci_low,
      ciHigh: alone.ci_high,
      test: alone.test,
    },
    { name: "Corrected by labels", ...shown },
  ];
}

function whyUncorrected(fewest: number): string {
  if (fewest === 0) return "a variant has no labels";
  return fewest < LABELS_NEEDED
    ? `the variant with the fewest labels has ${count(fewest)} of the ${LABELS_NEEDED} needed to correct it`
    : "labels correct only averages with the default test";
}

/** Describes what labels do to a row. */
export function effectSentence(
  { judge, effect }: Pick<MetricResult, "judge" | "effect">,
  write: (difference: number) => string,
): string {
  const labels = Object.values(judge?.labels_per_arm ?? {});
  const fewest = labels.length === 0 ? 0 : Math.min(...labels);
  if (judge?.calibrated !== true || judge.uncalibrated === null)
    return `Judge opinion: ${whyUncorrected(fewest)}.`;
  const shift = effect - judge.uncalibrated.effect;
  const all = sum(labels);
  return shift === 0
    ? `${count(all)} labels do not change the effect.`
    : `${count(all)} labels move the effect ${shift > 0 ? "up" : "down"} by ${write(Math.abs(shift))}.`;
}

/** Describes how far two scores of the same answer are apart. */
export function retestSentence(deviation: number): string {
  return deviation === 0
    ? "Answers that were judged twice got the same score both times."
    : `Two scores of the same answer differ with a standard deviation of ${number(deviation)}. This noise hides small effects.`;
}
