import type { ExperimentOverview, MetricDefinition, MetricResult } from "../api/types.ts";
import {
  changeClause,
  type EffectRow,
  guardrailAnswer,
  lossBound,
  metricOf,
  unclearClause,
} from "./effect.ts";
import { unitOf } from "./metric-units.ts";
import { counted } from "./numbers.ts";
import { STATES, usersOf } from "./states.ts";
import { opinionCaveat, opinionsBehind, tradeoffClause } from "./tradeoff.ts";

/** What makes the sentence exact; without it the sentence says what the overview alone knows. */
export interface VerdictDetails {
  readonly metrics: readonly MetricDefinition[];
  /** Of the run computed last. */
  readonly rows: readonly MetricResult[];
}

const NOTHING: VerdictDetails = { metrics: [], rows: [] };

/** Says in a sentence or two where an experiment stands: the effect with its interval, the guardrails, what comes next. */
export function verdictSentence(overview: ExperimentOverview, details: VerdictDetails = NOTHING): string {
  const caveat = WITHOUT_EFFECT.includes(overview.state) ? "" : caveatOf(overview, details);
  return [standing(overview, details), caveat].filter(Boolean).join(" ");
}

const WITHOUT_EFFECT: readonly ExperimentOverview["state"][] = [
  "draft",
  "no-traffic",
  "failed",
  "withheld",
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
      return STATES[overview.state].meaning;
    case "collecting":
      return collecting(overview);
    case "guardrail-failing":
      return `${sentence(failing(overview, details), change(overview, details))} Look at the guardrail before anything else.`;
    case "winning":
      return `${withGuardrails(overview, details)} ${timeLeft(overview)}`;
    case "ready-to-decide":
      return `${withGuardrails(overview, details)} Ready to decide.`;
    case "losing":
      return `${withGuardrails(overview, details)} That is the wrong way: consider stopping.`;
    case "running":
      return `${withGuardrails(overview, details)} Not clear yet: let it run.`;
    case "no-difference":
      return `${withGuardrails(overview, details)} The planned amount of data is there, and no difference is clear.`;
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

/** The clauses of trade-offs and of the rows that decide: the clear ones, or else the leading one. */
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

/** Lists the rows on which a decision rests and that say something. */
export function clearRows(rows: readonly MetricResult[]): readonly MetricResult[] {
  return decisiveRows(rows).filter(({ verdict }) => verdict !== "inconclusive");
}

function clause(
  row: EffectRow | MetricResult,
  control: string,
  metrics: readonly MetricDefinition[],
): string {
  if (row.verdict === "inconclusive") return `${row.metric} of ${unclearClause(row, control, metrics)}`;
  return `${changeClause(row, metrics)}, which is ${row.verdict}${accepted(row, metrics)}`;
}

/** That a loss is clear, and yet smaller than the metric's margin. */
function accepted(row: EffectRow | MetricResult, metrics: readonly MetricDefinition[]): string {
  const metric = metricOf(metrics, row);
  const bound = row.verdict === "worse" && "role" in row ? lossBound(row, metric) : null;
  return bound?.isNotWorse ? ` by less than the accepted ${unitOf(metric).difference(bound.margin)}` : "";
}

/** Lists the rows on which a decision rests: of primary metrics, without any of all but guardrails, at last of all. */
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
  if (overview.failing_guardrails.length > 0) return failing(overview, details);
  const isTold = ({ metric, treatment }: MetricResult) =>
    overview.tradeoffs.some(
      (one) => one.treatment === treatment && one.not_worse.some((row) => row.metric === metric),
    );
  const rows = details.rows.filter((row) => row.role === "guardrail" && !isTold(row));
  if (rows.length === 0) return "";
  return rows.every((row) => guardrailAnswer(row, metricOf(details.metrics, row)) === "tolerable")
    ? "no guardrail is worse by more than its tolerance"
    : "no guardrail is clearly worse, which does not prove it safe";
}

function timeLeft({ progress }: ExperimentOverview): string {
  const days = progress?.days_to_go ?? null;
  if (days === null || days <= 0) return "Wait for the next nightly run before you decide.";
  return `The planned amount of data is not there yet: about ${counted(Math.ceil(days), "more day")} at this traffic.`;
}

function stopped({ state, decision, control }: ExperimentOverview): string {
  if (decision === null) return "Stopped, without a decision on record.";
  const kept = decision.variant === null ? "" : `: everybody gets ${decision.variant}`;
  if (state === "stopped-won") return `Stopped, and a variant won${kept}.`;
  if (state === "stopped-lost") return `Stopped: the change did not help${kept || `, ${control} stays`}.`;
  if (state === "stopped-inconclusive") return `Stopped without a clear difference${kept}.`;
  return `Stopped as invalid: its data is not trusted${kept}.`;
}
