import type { MetricResult } from "../../../api/types.ts";
import { count } from "../../../format/numbers.ts";

interface EffectRow {
  readonly name: string;
  readonly effect: number;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
  readonly test: string;
}

/** Lists what a row says without labels and, when they correct it, with them. */
export function effectRows({ judge, effect, ci_low, ci_high, test }: MetricResult): readonly EffectRow[] {
  const shown = { effect, ciLow: ci_low, ciHigh: ci_high, test };
  const alone = judge?.uncalibrated ?? null;
  if (alone === null) return [{ name: "The judge alone", ...shown }];
  return [
    {
      name: "The judge alone",
      effect: alone.effect,
      ciLow: alone.ci_low,
      ciHigh: alone.ci_high,
      test: alone.test,
    },
    { name: "Corrected by labels", ...shown },
  ];
}

/** Says in words what labels do to a row. */
export function effectSentence(
  { judge, effect }: Pick<MetricResult, "judge" | "effect">,
  write: (difference: number) => string,
): string {
  const labels = Object.values(judge?.labels_per_arm ?? {});
  const fewest = labels.length === 0 ? 0 : Math.min(...labels);
  if (judge?.calibrated !== true || judge.uncalibrated === null)
    return `Judge opinion: ${fewest === 0 ? "no label corrects it" : `${count(fewest)} labels of the variant with the fewest are too few to correct it`}.`;
  const shift = effect - judge.uncalibrated.effect;
  const all = labels.reduce((sum, one) => sum + one, 0);
  return shift === 0
    ? `${count(all)} labels confirm the judge's effect.`
    : `${count(all)} labels move the effect ${shift > 0 ? "up" : "down"} by ${write(Math.abs(shift))}.`;
}
