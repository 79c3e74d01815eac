import type { Experiment, ExperimentOverview, MetricDefinition, Results, Tradeoff } from "../../api/types.ts";
import { capitalized } from "../../format/metric-words.ts";
import { counted, pEquals, percent, signedPercent } from "../../format/numbers.ts";
import { opinionCaveat, opinionsBehind, tradeoffClause } from "../../format/tradeoff.ts";
import { clearRows, guardrailClause, type VerdictDetails } from "../../format/verdict.ts";

export type Outcome = NonNullable<ExperimentOverview["decision"]>["outcome"];

/** Recommendation. */
export interface Recommendation {
  /** wait: stopping now gives up what more data would show. */
  readonly advice: "stop" | "wait";
  readonly outcome: Outcome;
  /** Variant to ship; null: nothing is recommended. */
  readonly variant: string | null;
  readonly sentence: string;
  readonly reasons: readonly string[];
}

type Facts = Pick<
  ExperimentOverview,
  "state" | "primary" | "tradeoffs" | "failing_guardrails" | "progress" | "control" | "is_stale"
>;

/** Derives a recommendation from an experiment's state, with reasons from its results. */
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
      const sentence = "Stop. Users are not split as allocated, so no difference can be trusted.";
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
      const sentence = "Stop. The planned amount of data is reached and shows no clear difference.";
      return { advice: "stop", outcome: "inconclusive", variant: control, sentence, reasons };
    }
    case "winning": {
      const winner = winnerOf(overview, results);
      const sentence = `Let it run: ${winner} is ahead, but the planned amount of data is not reached yet.`;
      return { advice: "wait", outcome: "won", variant: winner, sentence, reasons };
    }
    default: {
      const sentence = WAITING[overview.state] ?? "Let it run. There is no clear difference yet.";
      return { advice: "wait", outcome: "inconclusive", variant: control, sentence, reasons };
    }
  }
}

/** The variant to ship: the better one, else the one that saves most without a loss that matters. */
function shipped(overview: Facts, results: Results | null): Pick<Recommendation, "variant" | "sentence"> {
  const winner = winnerOf(overview, results);
  const tradeoff = winner === null ? largestSaving(overview.tradeoffs) : null;
  if (tradeoff === null)
    return {
      variant: winner,
      sentence: `Stop and ship ${winner}. It is better, and there is enough data.`,
    };
  const { treatment: variant, not_worse: rows } = tradeoff;
  const opinion = rows.some((row) => row.is_judge_opinion) ? "in the judge's opinion " : "";
  return {
    variant,
    sentence: `Stop and ship ${variant}. It is cheaper and ${opinion}not worse by more than you accept.`,
  };
}

/** The treatment that is better on some metric and worse on none; it may not have the leading row. Null: none. */
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
  "data-fault": "Wait. A fault in the events must be mended or set aside first; Data health names it.",
  failed: "Wait. The last nightly run failed; find out why first.",
  collecting: "Let it run. There is not enough data for a first result.",
  "no-traffic": "Nothing to decide yet: no users so far.",
};

function reasonsOf(
  overview: Facts,
  results: Results | null,
  metrics: readonly MetricDefinition[],
): readonly string[] {
  if (results?.srm.status === "halted") {
    return [
      `The traffic split differs from the allocation (${pEquals(results.srm.p_value)}). Results are withheld.`,
    ];
  }
  return [
    ...(results?.health ?? []).flatMap(({ severity, detail }) => (severity === "critical" ? [detail] : [])),
    ...overview.tradeoffs.map((tradeoff) => `${tradeoffClause(tradeoff, metrics)}.`),
    ...primaryReasons(overview),
    ...opinionReasons(overview, results),
    ...overview.failing_guardrails.map(
      ({ metric, treatment }) => `${treatment} is worse on the guardrail ${metric}.`,
    ),
    ...progressReasons(overview),
    ...guardrailReasons(overview, { rows: Object.values(results?.results ?? {}), metrics }),
    ...(results === null ? ["No run has been computed yet."] : []),
    ...(results?.preliminary ? ["The latest run is preliminary. Wait for tonight's run to decide."] : []),
    ...(overview.is_stale ? ["The numbers are more than two days old."] : []),
  ];
}

function primaryReasons({ primary, control }: Facts): readonly string[] {
  if (primary === null) return [];
  const { metric, treatment, relative_effect, relative_ci_low, relative_ci_high, significant } = primary;
  const size = relative_effect === null ? "" : `: ${signedPercent(relative_effect)}`;
  const range =
    relative_ci_low === null || relative_ci_high === null
      ? ""
      : ` (95% CI ${signedPercent(relative_ci_low)} to ${signedPercent(relative_ci_high)})`;
  const clear = significant ? "significant after correction" : "not significant after correction";
  return [`${metric}, ${treatment} vs ${control}${size}${range}, ${clear}.`];
}

function opinionReasons({ tradeoffs }: Facts, results: Results | null): readonly string[] {
  const clear = clearRows(Object.values(results?.results ?? {}));
  const caveat = opinionCaveat(opinionsBehind(tradeoffs, clear));
  return caveat === "" ? [] : [caveat];
}

function progressReasons({ progress, state }: Facts): readonly string[] {
  if (progress === null) return [];
  const left = progress.days_to_go === null ? "" : `, about ${counted(progress.days_to_go, "day")} to go`;
  const early =
    state === "ready-to-decide" && progress.share < 1
      ? "; the result is already clear enough to hold at any time"
      : "";
  return [`${percent(progress.share, 2)} of the planned data is collected${left}${early}.`];
}

function guardrailReasons(overview: Facts, details: VerdictDetails): readonly string[] {
  const { failing_guardrails: failing, state } = overview;
  if (failing.length > 0 || !["ready-to-decide", "winning"].includes(state)) return [];
  const clause = guardrailClause(overview, details);
  return clause === "" ? [] : [`${capitalized(clause)}.`];
}

/** Returns whether a choice goes against the recommendation; stopping early does. */
export function isAgainst(
  recommendation: Recommendation,
  choice: { readonly outcome: Outcome; readonly variant: string | null },
): boolean {
  if (recommendation.advice === "wait" || choice.outcome !== recommendation.outcome) return true;
  return choice.outcome === "won" && choice.variant !== recommendation.variant;
}

/** The default variant of an outcome. */
export function usualVariant(
  outcome: Outcome,
  { control, variants }: Pick<Experiment, "control" | "variants">,
  recommendation: Recommendation,
): string | null {
  if (outcome === recommendation.outcome) return recommendation.variant;
  if (outcome === "won") return variants?.find(({ key }) => key !== control)?.key ?? null;
  return outcome === "invalid" ? null : (control ?? null);
}
