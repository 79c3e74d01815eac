import type { Experiment, ExperimentOverview, MetricDefinition, Results, Tradeoff } from "../../api/types.ts";
import { counted, percent, signedPercent } from "../../format/numbers.ts";
import { opinionCaveat, opinionsBehind, tradeoffClause } from "../../format/tradeoff.ts";
import { clearRows } from "../../format/verdict.ts";

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
  "state" | "primary" | "tradeoffs" | "failing_guardrails" | "progress" | "control" | "is_stale"
>;

/** Derives from an experiment's state what to decide, with reasons that stand in its results. */
export function recommend(
  overview: Facts,
  results: Results | null,
  metrics: readonly MetricDefinition[] = [],
): Recommendation {
  const reasons = reasonsOf(overview, results, metrics);
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
    case "ready-to-decide":
      return { advice: "stop", outcome: "won", ...shipped(overview, results), reasons };
    case "losing": {
      const sentence = `Stop and keep ${control}: ${treatment} is worse.`;
      return { advice: "stop", outcome: "lost", variant: control, sentence, reasons };
    }
    case "no-difference": {
      const sentence = "Stop: the planned data is there and shows no clear difference.";
      return { advice: "stop", outcome: "inconclusive", variant: control, sentence, reasons };
    }
    case "winning": {
      const winner = winnerOf(overview, results);
      const sentence = `Let it run: ${winner} is ahead, but the planned data is not there yet.`;
      return { advice: "wait", outcome: "won", variant: winner, sentence, reasons };
    }
    default: {
      const sentence = WAITING[overview.state] ?? "Let it run: there is no clear difference yet.";
      return { advice: "wait", outcome: "inconclusive", variant: control, sentence, reasons };
    }
  }
}

/** What to ship: what is better, or else what saves most at no loss that matters. */
function shipped(overview: Facts, results: Results | null): Pick<Recommendation, "variant" | "sentence"> {
  const winner = winnerOf(overview, results);
  const tradeoff = winner === null ? largestSaving(overview.tradeoffs) : null;
  if (tradeoff === null)
    return {
      variant: winner,
      sentence: `Stop and ship ${winner}: it is better, and the data is enough to say so.`,
    };
  const { treatment: variant, not_worse: rows } = tradeoff;
  const opinion = rows.some((row) => row.is_judge_opinion) ? "in the judge's opinion " : "";
  return {
    variant,
    sentence: `Stop and ship ${variant}: it is cheaper, and ${opinion}not worse by more than you accept.`,
  };
}

/** The treatment that is better somewhere and worse nowhere; the leading row need not be its own. Null: none. */
function winnerOf({ primary }: Facts, results: Results | null): string | null {
  const clear = clearRows(Object.values(results?.results ?? {}));
  const lost = new Set(clear.flatMap(({ verdict, treatment }) => (verdict === "worse" ? [treatment] : [])));
  const better = clear
    .filter(({ verdict, treatment }) => verdict === "better" && !lost.has(treatment))
    .toSorted((a, b) => a.p_value_fdr - b.p_value_fdr);
  return better[0]?.treatment ?? (primary?.verdict === "better" ? primary.treatment : null);
}

function largestSaving(tradeoffs: readonly Tradeoff[]): Tradeoff | null {
  const bySaving = tradeoffs
    .filter((tradeoff) => tradeoff.is_settled)
    .toSorted((a, b) => b.saving.usd_per_1000_users - a.saving.usd_per_1000_users);
  return bySaving[0] ?? null;
}

const WAITING: Partial<Readonly<Record<Facts["state"], string>>> = {
  failed: "Wait: the last nightly run failed. Find out why first.",
  collecting: "Let it run: there is not enough data for a first result.",
  "no-traffic": "Nothing can be decided: no user has been seen yet.",
};

function reasonsOf(
  overview: Facts,
  results: Results | null,
  metrics: readonly MetricDefinition[],
): readonly string[] {
  if (results?.srm.status === "halted") {
    return [
      `The split differs from the allocation (p = ${results.srm.p_value.toPrecision(2)}): all effects are withheld.`,
    ];
  }
  return [
    ...overview.tradeoffs.map((tradeoff) => `${tradeoffClause(tradeoff, metrics)}.`),
    ...primaryReasons(overview),
    ...opinionReasons(overview, results),
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

function opinionReasons({ tradeoffs }: Facts, results: Results | null): readonly string[] {
  const clear = clearRows(Object.values(results?.results ?? {}));
  const caveat = opinionCaveat(opinionsBehind(tradeoffs, clear));
  return caveat === "" ? [] : [caveat];
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
