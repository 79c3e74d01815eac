import type { Experiment, ExperimentOverview, Results } from "../../api/types.ts";
import { counted, percent, signedPercent } from "../../format/numbers.ts";

export type Outcome = NonNullable<ExperimentOverview["decision"]>["outcome"];

/** What the numbers speak for. */
export interface Recommendation {
  /** wait: stopping now gives up what more data would tell. */
  readonly advice: "stop" | "wait";
  readonly outcome: Outcome;
  /** What everybody is to get; null: nothing is recommended. */
  readonly variant: string | null;
  readonly sentence: string;
  readonly reasons: readonly string[];
}

type Facts = Pick<
  ExperimentOverview,
  "state" | "primary" | "failing_guardrails" | "progress" | "control" | "is_stale"
>;

/** Derives from an experiment's state what to decide, with reasons that stand in its results. */
export function recommend(overview: Facts, results: Results | null): Recommendation {
  const reasons = reasonsOf(overview, results);
  const { control, primary } = overview;
  const treatment = primary?.treatment ?? null;
  switch (overview.state) {
    case "withheld": {
      const sentence = "Stop: users are not split as allocated, so no difference can be trusted.";
      return { advice: "stop", outcome: "invalid", variant: null, sentence, reasons };
    }
    case "guardrail-failing": {
      const failing = new Set(overview.failing_guardrails.map((guardrail) => guardrail.treatment));
      const sentence = `Stop and keep ${control}: ${[...failing].join(", ")} made a guardrail worse.`;
      return { advice: "stop", outcome: "lost", variant: control, sentence, reasons };
    }
    case "ready-to-decide": {
      const sentence = `Stop and ship ${treatment}: it is better, and the data is enough to say so.`;
      return { advice: "stop", outcome: "won", variant: treatment, sentence, reasons };
    }
    case "losing": {
      const sentence = `Stop and keep ${control}: ${treatment} is worse.`;
      return { advice: "stop", outcome: "lost", variant: control, sentence, reasons };
    }
    case "no-difference": {
      const sentence = "Stop: the planned data is there and shows no clear difference.";
      return { advice: "stop", outcome: "inconclusive", variant: control, sentence, reasons };
    }
    case "winning": {
      const sentence = `Let it run: ${treatment} is ahead, but the planned data is not there yet.`;
      return { advice: "wait", outcome: "won", variant: treatment, sentence, reasons };
    }
    default: {
      const sentence = WAITING[overview.state] ?? "Let it run: there is no clear difference yet.";
      return { advice: "wait", outcome: "inconclusive", variant: control, sentence, reasons };
    }
  }
}

const WAITING: Partial<Readonly<Record<Facts["state"], string>>> = {
  failed: "Wait: the last nightly run failed. Find out why first.",
  collecting: "Let it run: there is not enough data for a first result.",
  "no-traffic": "Nothing can be decided: no user has been seen yet.",
};

function reasonsOf(overview: Facts, results: Results | null): readonly string[] {
  if (results?.srm.status === "halted") {
    return [
      `The split differs from the allocation (p = ${results.srm.p_value.toPrecision(2)}): all effects are withheld.`,
    ];
  }
  return [
    ...primaryReasons(overview),
    ...overview.failing_guardrails.map(
      ({ metric, treatment }) => `${treatment} is worse on the guardrail ${metric}.`,
    ),
    ...progressReasons(overview),
    ...(results === null ? ["No run has been computed yet."] : []),
    ...(results?.preliminary
      ? ["The run computed last is preliminary: tonight's run is the one to decide by."]
      : []),
    ...(overview.is_stale ? ["The numbers are more than two days old."] : []),
  ];
}

function primaryReasons({ primary }: Facts): readonly string[] {
  if (primary === null) return [];
  const { metric, treatment, relative_effect, relative_ci_low, relative_ci_high, significant } = primary;
  const size = relative_effect === null ? "" : `: ${signedPercent(relative_effect)}`;
  const range =
    relative_ci_low === null || relative_ci_high === null
      ? ""
      : ` (95 % interval ${signedPercent(relative_ci_low)} to ${signedPercent(relative_ci_high)})`;
  const clear = significant ? "clear after correction" : "not clear after correction";
  return [`${treatment} against control on ${metric}${size}${range}, ${clear}.`];
}

function progressReasons({ progress, failing_guardrails, state }: Facts): readonly string[] {
  const reasons: string[] = [];
  if (progress !== null) {
    const left = progress.days_to_go === null ? "" : `, about ${counted(progress.days_to_go, "day")} to go`;
    const early =
      state === "ready-to-decide" && progress.share < 1
        ? ": what is seen holds all the same, however often one looks"
        : "";
    reasons.push(`${percent(progress.share, 2)} of the planned data is there${left}${early}.`);
  }
  if (failing_guardrails.length === 0 && ["ready-to-decide", "winning"].includes(state))
    reasons.push("No guardrail is clearly worse, which does not prove that none is.");
  return reasons;
}

/** Tells whether a choice goes against what the numbers speak for; stopping early does. */
export function isAgainst(
  recommendation: Recommendation,
  choice: { readonly outcome: Outcome; readonly variant: string | null },
): boolean {
  if (recommendation.advice === "wait" || choice.outcome !== recommendation.outcome) return true;
  return choice.outcome === "won" && choice.variant !== recommendation.variant;
}

/** The variant that goes with an outcome unless somebody chooses otherwise. */
export function usualVariant(
  outcome: Outcome,
  { control, variants }: Pick<Experiment, "control" | "variants">,
  recommendation: Recommendation,
): string | null {
  if (outcome === recommendation.outcome) return recommendation.variant;
  if (outcome === "won") return variants?.find(({ key }) => key !== control)?.key ?? null;
  return outcome === "invalid" ? null : (control ?? null);
}
