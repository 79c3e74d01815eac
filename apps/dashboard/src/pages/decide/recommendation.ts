import type { Experiment, ExperimentOverview, MetricDefinition, Results } from "../../api/types.ts";
import {
  decidedWords,
  isAmong,
  lossClauses,
  nightBefore,
  openOf,
  openWords,
  type PlanStatus,
  planRemarks,
  unsettledOf,
} from "../../format/decision-words.ts";
import { unclearClause } from "../../format/effect.ts";
import { capitalized } from "../../format/metric-words.ts";
import { pEquals, percent } from "../../format/numbers.ts";
import { day } from "../../format/times.ts";
import { opinionCaveat, opinionsBehind, tradeoffClause } from "../../format/tradeoff.ts";
import { clearRows, decisiveRows, guardrailClause, type VerdictDetails } from "../../format/verdict.ts";

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
  | "state"
  | "primary"
  | "tradeoffs"
  | "failing_guardrails"
  | "plan_status"
  | "control"
  | "variants"
  | "is_stale"
>;

type Advice = Omit<Recommendation, "reasons">;

/** Derives a recommendation from an experiment's state, with reasons from its results. */
export function recommend(
  overview: Facts,
  results: Results | null,
  metrics: readonly MetricDefinition[] = [],
): Recommendation {
  return { ...adviceOf(overview, results), reasons: reasonsOf(overview, results, metrics) };
}

function adviceOf(overview: Facts, results: Results | null): Advice {
  const { state, control, plan_status: plan } = overview;
  if (state === "withheld") {
    const sentence = "Stop. Users are not split as allocated, so no difference can be trusted.";
    return { advice: "stop", outcome: "invalid", variant: null, sentence };
  }
  return (
    (plan === null ? null : byPlan(overview, { plan, results })) ?? {
      advice: "wait",
      outcome: "inconclusive",
      variant: control,
      sentence: waitingFor(state, results) ?? "Let it run. The decision plan has no answer yet.",
    }
  );
}

interface Known {
  readonly plan: PlanStatus;
  readonly results: Results | null;
}

/** What the decision plan advises; null where it has no answer. */
function byPlan(overview: Facts, known: Known): Advice | null {
  const { plan } = known;
  switch (overview.state) {
    case "guardrail-failing":
    case "losing":
      return alarmAdvice(overview, plan);
    case "ready-to-decide":
      return { advice: "stop", outcome: "won", variant: plan.treatment, sentence: shipped(overview, known) };
    case "winning": {
      const variant = winnerOf(overview, known.results) ?? plan.treatment;
      const sentence = `Let it run: ${variant} is ahead, but it is too early to decide by the plan.`;
      return { advice: "wait", outcome: "won", variant, sentence };
    }
    case "better-guardrail-open":
      return {
        advice: "wait",
        outcome: "won",
        variant: plan.treatment,
        sentence: guardrailOpen(plan),
      };
    case "mixed":
      return mixedAdvice(overview, plan);
    case "no-difference":
      return nothingFound(overview, plan);
    case "running":
      return plan.decided_on === null ? null : endedOpen(overview, plan, plan.decided_on);
    default:
      return null;
  }
}

/** Ends harmful experiments. Another one's harm is no reason to drop a treatment that was chosen or is still open. */
function alarmAdvice(facts: Facts, plan: PlanStatus): Advice {
  const { control, variants } = facts;
  const harmful = [...new Set(plan.alarms.map(({ treatment }) => treatment))];
  const who = harmful.join(" and ");
  const what = harmOf(harmful, facts);
  const others = variants.filter((variant) => variant !== control && !harmful.includes(variant));
  if (plan.decided_state === "ready-to-decide" && others.includes(plan.treatment ?? "")) {
    const sentence = `Stop and ship ${plan.treatment}: the decision look chose it. Do not ship ${who}: ${what}.`;
    return { advice: "stop", outcome: "won", variant: plan.treatment, sentence };
  }
  if (others.length > 0 && plan.decided_on === null) {
    const sentence = `Disable ${who} and let the rest run: ${what}.`;
    return { advice: "wait", outcome: "inconclusive", variant: control, sentence };
  }
  const sentence = `Stop and keep ${control}: ${what}.`;
  return { advice: "stop", outcome: "lost", variant: control, sentence };
}

/** What the harmful treatments did. A failing guardrail of one says nothing about another one that loses. */
function harmOf(harmful: readonly string[], { failing_guardrails: failing }: Facts): string {
  const breaksGuardrail = (treatment: string) => failing.some((row) => row.treatment === treatment);
  const guarded = harmful.filter(breaksGuardrail);
  const losing = harmful.filter((treatment) => !breaksGuardrail(treatment));
  const clauses = [
    ...(guarded.length === 0 ? [] : [`${guarded.join(" and ")} made a guardrail worse`]),
    ...(losing.length === 0 ? [] : [`${losing.join(" and ")} ${losing.length > 1 ? "are" : "is"} worse`]),
  ];
  return clauses.join(", and ");
}

/** Why to ship the treatment that the plan chose, and what it has lost since. */
function shipped({ tradeoffs, primary }: Facts, { plan, results }: Known): string {
  const { treatment, losses } = plan;
  const rows = decisiveRows(Object.values(results?.results ?? {}));
  const met = results?.decision?.evidence.filter(({ kind, met_on }) => kind === "better" && met_on !== null);
  const isBetter =
    met === undefined
      ? primary?.verdict === "better"
      : met.some((claim) => claim.treatment === treatment && isAmong(rows, claim));
  const saving = tradeoffs.find((one) => one.treatment === treatment);
  const opinion = saving?.not_worse.some((row) => row.is_judge_opinion) ? "in the judge's opinion " : "";
  const why = isBetter
    ? "It is better, and every margin is met."
    : saving === undefined
      ? "It met the decision plan."
      : `It is cheaper and ${opinion}not worse by more than you accept.`;
  const lost = losses.filter((loss) => loss.treatment === treatment).map(({ metric }) => metric);
  const ship = `Stop and ship ${treatment}. ${why}`;
  return lost.length === 0
    ? ship
    : `${ship} But since the decision look it is significantly worse on ${lost.join(" and ")}: weigh that first.`;
}

function guardrailOpen(plan: PlanStatus): string {
  const open = openOf(plan);
  const who = plan.treatment;
  if (open.length === 0)
    return `Weigh it: ${who} was better, and its margins are settled now, but another metric is significantly worse.`;
  const margin = `${who} is better, but a guardrail is not settled: ${openWords(open)}.`;
  return plan.decided_on === null
    ? `Let it run: ${margin}`
    : `Wait until evidence that holds at any look settles it, or accept the risk: ${margin}`;
}

function mixedAdvice({ control }: Facts, plan: PlanStatus): Advice {
  const mixed = `${plan.treatment} is better in one metric and significantly worse in another`;
  const outcome = "inconclusive";
  return plan.decided_on === null
    ? { advice: "wait", outcome, variant: control, sentence: `Let it run: so far ${mixed}.` }
    : {
        advice: "stop",
        outcome,
        variant: control,
        sentence: `Stop. At the decision look, ${decidedWords("mixed", plan.treatment)}: ship it only if the gain is worth the loss.`,
      };
}

function nothingFound({ control }: Facts, plan: PlanStatus): Advice {
  const lost = plan.losses.map(({ metric, treatment }) => `${treatment} is significantly worse on ${metric}`);
  return lost.length === 0
    ? {
        advice: "stop",
        outcome: "inconclusive",
        variant: control,
        sentence: "Stop. The planned looks are over: nothing was found to be better, and no margin is open.",
      }
    : {
        advice: "stop",
        outcome: "lost",
        variant: control,
        sentence: `Stop and keep ${control}: nothing was found to be better, and ${lost.join(" and ")}.`,
      };
}

function endedOpen({ control }: Facts, plan: PlanStatus, on: string): Advice {
  const margin = plan.open.length === 0 ? "" : `, or let it run to settle a margin: ${openWords(plan.open)}`;
  const sentence = `Nothing was found to be better by the last look, ${day(on)}. Keep ${control}${margin}.`;
  return { advice: "stop", outcome: "inconclusive", variant: control, sentence };
}

/** The treatment that is better on some metric and worse on none. It may not have the leading row. Null: none. */
function winnerOf({ primary }: Facts, results: Results | null): string | null {
  const clear = clearRows(Object.values(results?.results ?? {}));
  const lost = new Set(clear.flatMap(({ verdict, treatment }) => (verdict === "worse" ? [treatment] : [])));
  const better = clear
    .filter(({ verdict, treatment }) => verdict === "better" && !lost.has(treatment))
    .toSorted((a, b) => a.p_value_fdr - b.p_value_fdr);
  return better[0]?.treatment ?? (primary?.verdict === "better" ? primary.treatment : null);
}

/** What an experiment waits for; null where it is the plan's answer. */
function waitingFor(state: Facts["state"], results: Results | null): string | null {
  const hasRows = Object.keys(results?.results ?? {}).length > 0;
  if (state === "collecting" && hasRows)
    return "Let it run. A primary metric has no result yet. The run's remarks say what is missing.";
  return WAITING[state] ?? null;
}

const WAITING: Partial<Readonly<Record<Facts["state"], string>>> = {
  held: "Nobody gets a variant now. Find the cause; then resume the experiment, or stop it.",
  "traces-lost": "Wait. The variants lose different shares of their traces; Data health says what to do.",
  "data-fault": "Wait. A fault in the events must be fixed or set aside first; Data health names it.",
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
    ...lossClauses(
      overview.plan_status?.losses ?? [],
      { rows: Object.values(results?.results ?? {}), metrics },
      overview.failing_guardrails,
    ).map((clause) => `${clause}.`),
    ...overview.tradeoffs.map((tradeoff) => `${tradeoffClause(tradeoff, metrics)}.`),
    ...primaryReasons(overview, metrics),
    ...opinionReasons(overview, results),
    ...overview.failing_guardrails.map(
      ({ metric, treatment }) =>
        `${treatment} is worse on the guardrail ${metric}, by evidence that holds at any look.`,
    ),
    ...planReasons(overview),
    ...(results?.decision ? planRemarks(results.decision) : []),
    ...guardrailReasons(overview, { rows: Object.values(results?.results ?? {}), metrics }),
    ...(results === null ? ["No run has been computed yet."] : []),
    ...(results?.preliminary ? ["The latest run is preliminary. Wait for tonight's run to decide."] : []),
    ...(overview.is_stale ? ["There have been no new users or no analysis for more than two days."] : []),
  ];
}

function primaryReasons(
  { primary, control }: Facts,
  metrics: readonly MetricDefinition[],
): readonly string[] {
  if (primary === null) return [];
  const clear = primary.significant ? "significant after correction" : "not significant after correction";
  return [`${primary.metric}, ${unclearClause(primary, control, metrics)}, ${clear}.`];
}

function opinionReasons({ tradeoffs }: Facts, results: Results | null): readonly string[] {
  const clear = clearRows(Object.values(results?.results ?? {}));
  const caveat = opinionCaveat(opinionsBehind(tradeoffs, clear));
  return caveat === "" ? [] : [caveat];
}

function planReasons({ plan_status: plan }: Facts): readonly string[] {
  if (plan === null) return [];
  const { decided_on, decided_state, look, information, treatment } = plan;
  const unsettled = unsettledOf(plan);
  const open = unsettled.length === 0 ? [] : [`Not settled: ${openWords(unsettled)}.`];
  if (decided_on !== null && decided_state !== null)
    return [
      `The decision look was the night of ${day(decided_on)} (look ${look}): ${decidedWords(decided_state, treatment)}. Later nights change that only with evidence that holds at any look.`,
      ...open,
    ];
  const end = `The planned end is ${nightBefore(plan.planned_end)}`;
  const share =
    information === 0 ? "" : `; ${percent(information, 2)} of the planned information has been collected`;
  return [`${end}${share}.`, ...open];
}

function guardrailReasons(overview: Facts, details: VerdictDetails): readonly string[] {
  const { failing_guardrails: failing, state } = overview;
  if (failing.length > 0 || !["ready-to-decide", "winning"].includes(state)) return [];
  const clause = guardrailClause(overview, details);
  return clause === "" ? [] : [`${capitalized(clause)}.`];
}

/** Returns whether a choice goes against the recommendation; stopping early does. Without a clear difference, any variant may be kept. */
export function isAgainst(
  recommendation: Recommendation,
  choice: { readonly outcome: Outcome; readonly variant: string | null },
  control: string | undefined,
): boolean {
  if (recommendation.advice === "wait" || choice.outcome !== recommendation.outcome) return true;
  if (choice.outcome === "won") return choice.variant !== recommendation.variant;
  return choice.outcome !== "inconclusive" && choice.variant !== null && choice.variant !== control;
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
