import type { Wire } from "../../../../api/types.ts";
import { count, counted, percent } from "../../../../format/numbers.ts";
import type { Tone } from "../../../../ui/Notice.tsx";

export type MetricReplay = Wire<"MetricReplay">;

interface VerdictWords {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: string;
}

/** The verdicts as words with an icon. */
export const REPLAY_VERDICTS: Readonly<Record<MetricReplay["verdict"], VerdictWords>> = {
  correct: { word: "Correct", tone: "good", icon: "✓" },
  doubtful: { word: "Doubtful", tone: "warn", icon: "!" },
  "false-alarms": { word: "False alarms", tone: "bad", icon: "✕" },
  cautious: { word: "Too cautious", tone: "warn", icon: "!" },
  "no-data": { word: "No data yet", tone: "quiet", icon: "○" },
};

/** Summarizes a replay in one sentence. */
export function summaryOf({
  metrics,
}: {
  readonly metrics: readonly Pick<MetricReplay, "verdict" | "causes">[];
}): string {
  const off = metrics.filter(({ causes }) => causes.length > 0).length;
  const tested = metrics.filter(({ verdict }) => verdict !== "no-data").length;
  if (off === 0 && tested === 0) return "There is too little data yet.";
  if (off === 0) return `${counted(tested, "metric")} tested: no fault found.`;
  return `${count(off)} of ${counted(metrics.length, "metric")} ${off === 1 ? "needs" : "need"} a look.`;
}

/** Writes the band of a correct rate: "3.3% to 6.9%". Null without data. */
export function bandInWords({ band_low: low, band_high: high }: MetricReplay): string | null {
  return low === null || high === null ? null : `${percent(low)} to ${percent(high)}`;
}

/** How far the effects spread, in standard errors; null where there is no standard error. */
export function spreadOf({ effect_sd: spread, standard_error: error }: MetricReplay): number | null {
  return spread === null || error === null || error === 0 ? null : spread / error;
}
