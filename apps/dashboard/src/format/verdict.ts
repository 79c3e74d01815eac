import type { ExperimentOverview, MetricDefinition, MetricResult } from "../api/types.ts";
import { changeClause, type EffectRow, lossBound, metricOf, unclearClause, worstLoss } from "./effect.ts";
import { unitOf } from "./metric-units.ts";
import { counted } from "./numbers.ts";
import { STATES, usersOf } from "./states.ts";
import { opinionCaveat, opinionsBehind, tradeoffClause } from "./tradeoff.ts";

/** Details for an exact sentence; without them it uses the overview alone. */
export interface VerdictDetails {
  readonly metrics: readonly MetricDefinition[];
  /** Rows of the latest run. */
  readonly rows: readonly MetricResult[];
}

const NOTHING: VerdictDetails = { metrics: [], rows: [] };

/** Describes where an experiment stands, in a sentence or two: the effect with its interval, the guardrails, what comes next. */
export function verdictSentence(overview: ExperimentOverview, details: VerdictDetails = NOTHING): string {
  const caveat = WITHOUT_EFFECT.includes(overview.state) ? "" : caveatOf(overview, details);
  return [standing(overview, details), caveat].filter(Boolean).join(" ");
}

const WITHOUT_EFFECT: readonly ExperimentOverview["state"][] = [
  "draft",
  "no-traffic",
  "failed",
  "withheld",
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
    case "data-fault":
      return STATES[overview.state].meaning;
    case "collecting":
      return collecting(overview);
    case "guardrail-failing":
      return `${sentence(failing(overview, details), change(overview, details))} Check the guardrail first.`;
    case "winning":
      return `${withGuardrails(overview, details)} ${timeLeft(overview)}`;
    case "ready-to-decide":
      return `${withGuardrails(overview, details)} Ready to decide.`;
    case "losing":
      return `${withGuardrails(overview, details)} Consider stopping.`;
    case "running":
      return `${withGuardrails(overview, details)} Not clear yet. Let it run.`;
    case "no-difference":
      return `${withGuardrails(overview, details)} The planned amount of data is reached, and no difference is clear.`;
    default:
      return [stopped(overview), lastResult(overview, details)].filter(Boolean).join(" ");
  }
}

function lastResult(overview: ExperimentOverview, details: VerdictDetails): string {
  const clauses = [change(overview, details), guardrails(overview, details)];
  return clauses.some(Boolean) ? `Last result: ${sentence(...clauses)}` : "";
}

function collecting(overview: ExperimentOverview): string {
  return `${counted(usersOf(overview), "user")} so far. ${STATES.collecting.meaning}`;
}

function withGuardrails(overview: ExperimentOverview, details: VerdictDetails): string {
  return sentence(change(overview, details), guardrails(overview, details));
}

function sentence(...clauses: readonly string[]): string {
  return `${clauses.filter(Boolean).join("; ")}.`;
}

/** The clauses for trade-offs and for the deciding rows: the clear ones, else the leading one. */
function change(overview: ExperimentOverview, { rows, metrics }: VerdictDetails): string {
  const { tradeoffs, primary, control } = overview;
  const isSaving = (row: EffectRow) =>
    tradeoffs.some(({ treatment, saving }) => treatment === row.treatment && saving.metric === row.metric);
  const clear = clearRows(rows);
  const others = clear.length > 0 ? clear : primary !== null && tradeoffs.length === 0 ? [primary] : [];
  return [
    ...tradeoffs.map((tradeoff) => tradeoffClause(tradeoff, metrics)),
    ...others.filter((row) => !isSaving(row)).map((row) => clause(row, control, metrics)),
  ].join("; ");
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

/** Lists the rows that decide: those of primary metrics; without any, all but guardrails; else all. */
export function decisiveRows(rows: readonly MetricResult[]): readonly MetricResult[] {
  const primary = rows.filter(({ role }) => role === "primary");
  if (primary.length > 0) return primary;
  const others = rows.filter(({ role }) => role !== "guardrail");
  return others.length > 0 ? others : rows;
}

function failing({ failing_guardrails: failed }: ExperimentOverview, { rows, metrics }: VerdictDetails) {
  return failed
    .map(({ metric, treatment }) => {
      const row = rows.find((one) => one.metric === metric && one.treatment === treatment);
      return row
        ? `${changeClause(row, metrics)}, a guardrail`
        : `${metric}, a guardrail, is worse with ${treatment}`;
    })
    .join("; ");
}

function guardrails(overview: ExperimentOverview, details: VerdictDetails): string {
  return overview.failing_guardrails.length > 0
    ? failing(overview, details)
    : guardrailClause(overview, details);
}

/** Describes guardrails that are not failing; empty if all of them are in trade-offs. */
export function guardrailClause(
  { tradeoffs }: Pick<ExperimentOverview, "tradeoffs">,
  details: VerdictDetails,
): string {
  const isTold = ({ metric, treatment }: MetricResult) =>
    tradeoffs.some(
      (one) => one.treatment === treatment && one.not_worse.some((row) => row.metric === metric),
    );
  const rows = details.rows.filter((row) => row.role === "guardrail" && !isTold(row));
  if (rows.length === 0) return "";
  const open = rows.flatMap((row) => possibleLoss(row, metricOf(details.metrics, row)));
  return open.length === 0
    ? "no guardrail is worse by more than its margin"
    : `no guardrail got worse, but ${open.join(", and ")}`;
}

/** Describes the loss that a guardrail's interval leaves possible; empty when it is within the margin. */
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

function timeLeft({ progress }: ExperimentOverview): string {
  const days = progress?.days_to_go ?? null;
  if (days === null || days <= 0) return "Wait for the next nightly run to decide.";
  return `The planned amount of data is not reached yet: about ${counted(Math.ceil(days), "more day")} at this traffic.`;
}

function stopped({ state, decision }: ExperimentOverview): string {
  if (decision === null)
    return state === "archived" ? STATES.archived.meaning : "Stopped without a recorded decision.";
  const ship = decision.variant === null ? "" : ` Variant to ship: ${decision.variant}.`;
  if (decision.outcome === "won") return `Stopped: a variant won.${ship}`;
  if (decision.outcome === "lost") return `Stopped: the change did not help.${ship}`;
  if (decision.outcome === "inconclusive") return `Stopped without a clear difference.${ship}`;
  return `Stopped as invalid: the data cannot be trusted.${ship}`;
}
