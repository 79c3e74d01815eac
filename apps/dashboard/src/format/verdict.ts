import type { ExperimentOverview, MetricDefinition, MetricResult } from "../api/types.ts";
import { changeClause, type EffectRow, guardrailAnswer, metricOf, unclearClause } from "./effect.ts";
import { counted } from "./numbers.ts";
import { STATES, usersOf } from "./states.ts";

/** What makes the sentence exact; without it the sentence says what the overview alone knows. */
export interface VerdictDetails {
  readonly metrics: readonly MetricDefinition[];
  /** Of the run computed last. */
  readonly rows: readonly MetricResult[];
}

const NOTHING: VerdictDetails = { metrics: [], rows: [] };

/** Says in a sentence or two where an experiment stands: the effect with its interval, the guardrails, what comes next. */
export function verdictSentence(overview: ExperimentOverview, details: VerdictDetails = NOTHING): string {
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

/** The clauses of the rows that decide: the clear ones, or else the leading one. */
function change(overview: ExperimentOverview, { rows, metrics }: VerdictDetails): string {
  const clear = decisiveRows(rows).filter(({ verdict }) => verdict !== "inconclusive");
  const shown: readonly EffectRow[] = clear.length > 0 ? clear : overview.primary ? [overview.primary] : [];
  return shown.map((row) => clause(row, overview.control, metrics)).join("; ");
}

function clause(row: EffectRow, control: string, metrics: readonly MetricDefinition[]): string {
  return row.verdict === "inconclusive"
    ? `${row.metric} of ${unclearClause(row, control, metrics)}`
    : `${changeClause(row, metrics)}, which is ${row.verdict}`;
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
  const rows = details.rows.filter(({ role }) => role === "guardrail");
  if (overview.failing_guardrails.length > 0) return failing(overview, details);
  if (rows.length === 0) return "";
  const margin = (row: MetricResult) => metricOf(details.metrics, row)?.margin ?? null;
  return rows.every((row) => guardrailAnswer(row, margin(row)) === "tolerable")
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
