import type { Experiment, Wire } from "../api/types.ts";
import { number, percent } from "./numbers.ts";
import { utc } from "./times.ts";

type SignalLook = Wire<"GuardView">["signals"][number];

/** A row of the guard's table, in words. */
interface GuardRow {
  readonly key: string;
  readonly signal: string;
  readonly treatment: string;
  readonly values: string;
  readonly acceptable: string;
  readonly evidence: string;
}

const SIGNALS: Readonly<
  Record<string, { readonly word: string; readonly write: (value: number) => string }>
> = {
  error_rate: { word: "Failed calls", write: percent },
  latency: { word: "Mean latency", write: (ms) => `${number(ms, 3)} ms` },
  cost_per_call: { word: "Mean cost of a call", write: (usd) => `$${number(usd, 3)}` },
  cost_per_user: { word: "Cost for the same number of users", write: (usd) => `$${number(usd, 3)}` },
  missing_usage: { word: "Calls without tokens", write: percent },
  truncation: { word: "Answers cut by the token limit", write: percent },
  split: { word: "Traffic split", write: percent },
};

/** Writes what a guard saw, the nearest to harm first. */
export function guardRows(signals: readonly SignalLook[]): readonly GuardRow[] {
  const sorted = signals.toSorted((a, b) => (b.evidence ?? -1) - (a.evidence ?? -1));
  return sorted.map((look) => {
    const { signal, treatment, treatment_value, control_value, evidence } = look;
    const { word, write } = SIGNALS[signal] ?? { word: signal, write: (value: number) => number(value, 3) };
    const values = [treatment_value, control_value].map((value) => (value === null ? "–" : write(value)));
    return {
      ...{ key: `${signal}::${treatment}`, signal: word, treatment, values: values.join(" vs ") },
      acceptable: acceptableOf(look, write),
      evidence:
        evidence === null
          ? "too few events"
          : `${Math.floor(100 * Math.min(evidence, 9.99))}% of the evidence for a hold`,
    };
  });
}

function acceptableOf({ acceptable, is_relative }: SignalLook, write: (value: number) => string): string {
  if (acceptable === null) return "none";
  return is_relative ? `${percent(acceptable)} more` : `${write(acceptable)} worse`;
}

/** Describes the harm that would be noticed within an hour. Empty if unknown. */
export function noticeableInWords(noticeable: Wire<"GuardView">["noticeable"]): string {
  const parts = noticeable.map(({ signal, harm, is_relative, value }) => {
    const { word, write } = SIGNALS[signal] ?? { word: signal, write: (one: number) => number(one, 3) };
    if (harm === null) return `${word.toLowerCase()}: an hour has too few calls`;
    const rise = is_relative
      ? percent(harm)
      : `${write(harm)} points`.replace("% points", " percentage points");
    return `${word.toLowerCase()}: ${rise} more than the usual ${write(value)}`;
  });
  return parts.length === 0
    ? ""
    : `At the traffic of the last 14 days, the guard would notice within an hour, in four of five cases: ${parts.join("; ")}.`;
}

/** Describes the current stage of a rollout, and when the next one begins. */
export function rolloutInWords(
  { stages, stage = 0 }: NonNullable<Experiment["rollout"]>,
  nextStageAt: string | null,
): string {
  const now = `Rollout: stage ${stage + 1} of ${stages.length}, ${stages[stage]}% of the users in treatments.`;
  if (nextStageAt === null) return stage + 1 === stages.length ? `${now} This is the last stage.` : now;
  return `${now} The next, ${stages[stage + 1]}%, begins at ${utc(nextStageAt)} at the earliest. With a guard, it begins only if the guard finds no harm and users arrive.`;
}
