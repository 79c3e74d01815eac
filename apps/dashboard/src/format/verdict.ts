import type { ExperimentOverview, MetricDefinition, MetricResult } from "../api/types.ts";
import { isAmong, lossesInShort, planSentence } from "./decision-words.ts";
import { changeClause, type EffectRow, lossBound, metricOf, unclearClause, worstLoss } from "./effect.ts";
import { handedOutWords } from "./handed-out.ts";
import { atMost, listed } from "./lists.ts";
import { unitOf } from "./metric-units.ts";
import { STATES, usersOf } from "./states.ts";
import { opinionCaveat, opinionsBehind, tradeoffClause } from "./tradeoff.ts";
import { countedUnits } from "./unit-words.ts";

/** Details for an exact sentence. Without them, it uses only the overview. */
export interface VerdictDetails {
  readonly metrics: readonly MetricDefinition[];
  /** Rows of the latest run. */
  readonly rows: readonly MetricResult[];
  /** The other system's flag that gives users their variants. */
  readonly flagKey?: string | null | undefined;
}

const NOTHING: VerdictDetails = { metrics: [], rows: [] };

/** Describes the state of an experiment in a sentence or two: the effect with its interval, the guardrails, the next step. */
export function verdictSentence(overview: ExperimentOverview, details: VerdictDetails = NOTHING): string {
  const caveat = WITHOUT_EFFECT.includes(overview.state) ? "" : caveatOf(overview, details);
  return [standing(overview, details), caveat].filter(Boolean).join(" ");
}

const WITHOUT_EFFECT: readonly ExperimentOverview["state"][] = [
  "draft",
  "no-traffic",
  "failed",
  "withheld",
  "traces-lost",
  "data-fault",
  "collecting",
];

function caveatOf({ tradeoffs }: ExperimentOverview, { rows }: VerdictDetails): string {
  return opinionCaveat(opinionsBehind(tradeoffs, clearRows(rows)));
}

function standing(overview: ExperimentOverview, details: VerdictDetails): string {
  switch (overview.state) {
    case "draft":
    case "no-traffic":
    case "failed":
    case "withheld":
    case "traces-lost":
    case "data-fault":
      return STATES[overview.state].meaning;
    case "collecting":
      return collecting(overview, details);
    case "held":
      return [STATES.held.meaning, lastResult(overview, details)].filter(Boolean).join(" ");
    case "stopped":
    case "stopped-won":
    case "stopped-lost":
    case "stopped-inconclusive":
    case "stopped-invalid":
    case "shipped":
    case "archived":
      return [stopped(overview, details), lastResult(overview, details)].filter(Boolean).join(" ");
    default:
      return `${result(overview, details)} ${byPlan(overview, details)}`.trim();
  }
}

/** The verdict by the decision plan. A run from before there were plans has none. */
function byPlan(
  { plan_status: plan, progress, tradeoffs }: ExperimentOverview,
  { rows }: VerdictDetails,
): string {
  if (plan === null) return "Running: the next nightly run follows the decision plan.";
  const sentence = planSentence(plan, progress?.days_to_go ?? null);
  const foundNothing =
    plan.decided_on !== null && (plan.state === "no-difference" || plan.state === "running");
  const showsGain = tradeoffs.length > 0 || clearRows(rows).some(({ verdict }) => verdict === "better");
  // Otherwise the newest night's gain would contradict the decision.
  return foundNothing && showsGain ? `${sentence} ${LATER_NIGHTS}` : sentence;
}

const LATER_NIGHTS = "A gain on a later night changes that only with evidence that holds at any look.";

function lastResult(overview: ExperimentOverview, details: VerdictDetails): string {
  const last = result(overview, details);
  return last === "" ? "" : `Last result: ${last}`;
}

function collecting(overview: ExperimentOverview, { rows }: VerdictDetails): string {
  const users = countedUnits(usersOf(overview), overview.unit, overview.users_of_units);
  const next = rows.length === 0 ? STATES.collecting.meaning : PRIMARY_AWAITED;
  return `${users} so far. ${next}`;
}

/** Other metrics have results, so a count that is too low is not the only possible cause: a judge may be missing. */
const PRIMARY_AWAITED =
  "A primary metric has no result yet, so nothing can be decided. The run's remarks say what is missing.";

/** The newest effects, losses first. */
function result(overview: ExperimentOverview, details: VerdictDetails): string {
  const { failing_guardrails: failed, plan_status } = overview;
  const clauses = [
    failing(overview, details),
    ...lossesInShort(
      (plan_status?.losses ?? []).filter((loss) => !isAmong(failed, loss)),
      details,
    ),
    change(overview, details),
    failed.length > 0 ? "" : guardrailClause(overview, details),
  ].filter(Boolean);
  return clauses.length === 0 ? "" : `${clauses.join("; ")}.`;
}

/** The clauses for trade-offs and for the deciding rows: the clear ones, or else the leading one. */
function change(overview: ExperimentOverview, { rows, metrics }: VerdictDetails): string {
  const { tradeoffs, primary, control, plan_status } = overview;
  const isSaving = (row: EffectRow) =>
    tradeoffs.some(({ treatment, saving }) => treatment === row.treatment && saving.metric === row.metric);
  const clear = clearRows(rows);
  const others = clear.length > 0 ? clear : primary !== null && tradeoffs.length === 0 ? [primary] : [];
  const clauses = [
    ...tradeoffs.map((tradeoff) => tradeoffClause(tradeoff, metrics)),
    ...others
      .filter((row) => !isSaving(row) && !isAmong(plan_status?.losses ?? [], row))
      .map((row) => clause(row, control, metrics)),
  ];
  return atMost(clauses, "more changes are clear").join("; ");
}

/** Lists the deciding rows that are clear. */
export function clearRows(rows: readonly MetricResult[]): readonly MetricResult[] {
  return decisiveRows(rows).filter(({ verdict }) => verdict !== "inconclusive");
}

function clause(
  row: EffectRow | MetricResult,
  control: string,
  metrics: readonly MetricDefinition[],
): string {
  if (row.verdict === "inconclusive") return `${row.metric}, ${unclearClause(row, control, metrics)}`;
  return `${changeClause(row, metrics)}, which is ${row.verdict}${accepted(row, metrics)}`;
}

/** Notes that a clear loss is smaller than the metric's margin. */
function accepted(row: EffectRow | MetricResult, metrics: readonly MetricDefinition[]): string {
  const metric = metricOf(metrics, row);
  const bound = row.verdict === "worse" && "role" in row ? lossBound(row, metric) : null;
  return bound?.isNotWorse ? ` but by less than the accepted ${unitOf(metric).difference(bound.margin)}` : "";
}

/** Lists the deciding rows: those of primary metrics, or else all but guardrails, or else all. */
export function decisiveRows(rows: readonly MetricResult[]): readonly MetricResult[] {
  const primary = rows.filter(({ role }) => role === "primary");
  if (primary.length > 0) return primary;
  const others = rows.filter(({ role }) => role !== "guardrail");
  return others.length > 0 ? others : rows;
}

function failing({ failing_guardrails: failed }: ExperimentOverview, { rows, metrics }: VerdictDetails) {
  const clauses = failed.map(({ metric, treatment }) => {
    const row = rows.find((one) => one.metric === metric && one.treatment === treatment);
    return row
      ? `${changeClause(row, metrics)}, a guardrail`
      : `${metric}, a guardrail, is worse with ${treatment}`;
  });
  return atMost(clauses, "more guardrails are worse").join("; ");
}

/** Describes guardrails that are neither failing nor losses. Empty if trade-offs mention all of them. */
export function guardrailClause(
  { tradeoffs, plan_status }: Pick<ExperimentOverview, "tradeoffs" | "plan_status">,
  details: VerdictDetails,
): string {
  const losses = plan_status?.losses ?? [];
  const isTold = ({ metric, treatment }: MetricResult) =>
    tradeoffs.some(
      (one) => one.treatment === treatment && one.not_worse.some((row) => row.metric === metric),
    );
  const guardrails = details.rows.filter((row) => row.role === "guardrail");
  const rows = ownFirst(
    guardrails.filter((row) => !isTold(row) && !isAmong(losses, row)),
    plan_status?.treatment,
  );
  const missing = withoutResult(details);
  if (rows.length === 0) return missing;
  const other = guardrails.some((row) => isAmong(losses, row)) ? "other " : "";
  const none = `no ${other}guardrail${missing === "" ? "" : " with a result"}`;
  const open = rows.flatMap((row) => possibleLoss(row, metricOf(details.metrics, row)));
  return [boundOf(none, rows, open), missing].filter(Boolean).join("; ");
}

function boundOf(none: string, rows: readonly MetricResult[], open: readonly string[]): string {
  if (open.length === 0) return `${none} is worse by more than its margin`;
  const isAccepted = rows.some(({ verdict }) => verdict === "worse");
  return `${none} ${isAccepted ? "is clearly worse by more than its margin" : "got worse"}, but ${atMost(open, "more could be, too").join(", and ")}`;
}

/** Puts the rows of the treatment that the state names first, because only the first few of many are named. */
function ownFirst(rows: readonly MetricResult[], treatment: string | null | undefined) {
  const isOther = (row: MetricResult) => Number(row.treatment !== treatment);
  return rows.toSorted((a, b) => isOther(a) - isOther(b));
}

/** Names the guardrails of which a run with results says nothing. */
function withoutResult({ metrics, rows }: VerdictDetails): string {
  if (rows.length === 0) return "";
  const names = metrics
    .filter(({ name, role }) => role === "guardrail" && !rows.some(({ metric }) => metric === name))
    .map(({ name }) => name);
  if (names.length === 0) return "";
  const are = names.length > 1 ? "guardrails, have" : "a guardrail, has";
  return `${listed(atMost(names, "more"))}, ${are} no result yet`;
}

/** Describes the loss that a guardrail's interval still allows. Empty when it is within the margin. */
function possibleLoss(row: MetricResult, metric: MetricDefinition | undefined): readonly string[] {
  const bound = lossBound(row, metric);
  const loss = bound === null ? worstLoss(row) : bound.worstLoss;
  const who = `${row.metric} with ${row.treatment} could still be worse`;
  if (loss === null) return [`${who}, without a bound`];
  if (bound?.isNotWorse || loss <= 0) return [];
  const { difference } = unitOf(metric);
  const allowed = bound === null ? "" : ` (${difference(bound.margin)} allowed)`;
  return [`${who} by up to ${difference(loss)}${allowed}`];
}

function stopped(overview: ExperimentOverview, { flagKey }: VerdictDetails): string {
  const { state, decision } = overview;
  if (decision === null && state === "archived") return STATES.archived.meaning;
  return `${endWords(state === "shipped" ? "Shipped" : "Stopped", decision)} ${handedOutWords({ ...overview, flag_key: flagKey })}`;
}

function endWords(end: string, decision: ExperimentOverview["decision"]): string {
  if (decision === null) return `${end} without a recorded decision.`;
  if (decision.outcome === "won") return `${end}: a variant won.`;
  if (decision.outcome === "lost") return `${end}: the change did not help.`;
  if (decision.outcome === "inconclusive") return `${end} without a clear difference.`;
  return `${end} as invalid: the data cannot be trusted.`;
}
