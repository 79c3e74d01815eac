import {
  type AllocationPeriod,
  type AttributionFacts,
  type EventStore,
  type HealthCheck,
  type LoggedTraceQuery,
  type LoggedTraces,
  type MetricDefinition,
  type OutcomeSource,
  runSeed,
  UNIT_WORDS,
} from "@assay/domain";
import { permuteMeans, type Stratum, sumOf } from "@assay/stats";
import { comparablePeriods } from "../compare/arm-data.ts";
import { isReported } from "./attribution.ts";
import { armShares, type HealthFacts } from "./facts.ts";
import { GAP_THRESHOLD } from "./gap.ts";
import { isOtherProbability } from "./sampling.ts";
import { percent } from "./share-text.ts";
import { SRM_THRESHOLD } from "./srm-gate.ts";

/** The calls of a trace arrive at most this long after its evaluation. Only broken exporters take longer. */
const PATIENCE_MS = 3_600_000;
/** Enough to find a difference of two percentage points between two arms, and few enough to permute quickly. */
const MAX_USERS = 10_000;
/** Permutations per treatment: the smallest possible p is a third of the threshold. */
const PERMUTATIONS = 3_000;

const isTracedCall = ({ type, source }: OutcomeSource): boolean => type === "model_call" && source === "otlp";

/** Reads the traces to compare; none if no call arrived by OpenTelemetry. */
export async function loadLoggedTraces(
  { outcomes }: AttributionFacts,
  query: Omit<LoggedTraceQuery, "evaluatedUntil" | "maxUsers">,
  events: Pick<EventStore, "loadLoggedTraces">,
): Promise<readonly LoggedTraces[]> {
  if (!outcomes.some(isTracedCall)) return [];
  return events.loadLoggedTraces({
    ...query,
    evaluatedUntil: query.until - PATIENCE_MS,
    maxUsers: MAX_USERS,
  });
}

type TraceFacts = Pick<HealthFacts, "experiment" | "periods" | "attribution" | "loggedTraces" | "sampling">;

/** Checks lost traces if calls arrive by OpenTelemetry. */
export function lostTracesChecks(facts: TraceFacts): readonly HealthCheck[] {
  return facts.attribution.outcomes.some(isTracedCall) ? [lostTracesCheck(facts)] : [];
}

/**
 * Compares the share of lost traces between arms. A log record reports its evaluation even if the trace is dropped, so this check finds
 * collectors that keep traces by their outcome (errors, latency). Each user weighs the same. The level is divided by the number of
 * treatments (Bonferroni).
 */
function lostTracesCheck(facts: TraceFacts): HealthCheck {
  const { experiment, loggedTraces, periods } = facts;
  const counts = loggedTraces.map(({ arm, lost, traces }) => ({ arm, count: lost, of: traces }));
  const arms = armShares(facts, counts);
  const base = {
    code: "lost-traces",
    measure: "p_value",
    threshold: SRM_THRESHOLD,
    since: null,
    arms,
  } as const;
  const treatments = Object.keys(arms).filter((arm) => arm !== experiment.config.control);
  const pairs = treatments.map((treatment) => ({ control: experiment.config.control, treatment }));
  const compared = pairs.flatMap((pair) => {
    const known = knownSampling(facts.sampling, pair);
    const strata = strataOf(loggedTraces, pair, { periods, known });
    return strata.length === 0 ? [] : [{ ...pair, strata, known }];
  });
  if (compared.length === 0) {
    const detail =
      "Not checked: no two arms have evaluations that log records report. An evaluation on a span is lost with its trace.";
    return { ...base, severity: "no-data", detail, action: null, value: null };
  }
  const permutations = PERMUTATIONS * compared.length - 1;
  const differences = compared.map(({ strata, known: _, ...pair }) => {
    const outcome = permuteMeans(strata, { permutations, seed: runSeed(experiment.id) });
    // Null: all users have the same share of lost traces.
    const { pValue, effect } = outcome ?? { pValue: 1, effect: 0 };
    return { ...pair, pValue: Math.min(1, pValue * compared.length), effect };
  });
  const value = Math.min(...differences.map(({ pValue }) => pValue));
  const explained = compared.some(({ known }) => known !== null)
    ? " What samplers drop with a known probability is not counted as lost in the comparison."
    : "";
  const found = `Traces that never arrived, by ${UNIT_WORDS[experiment.config.unit].one}: ${sharesText(loggedTraces)} (p = ${value.toPrecision(2)}).${explained}`;
  const off = differences.filter(
    ({ pValue, effect }) => pValue < SRM_THRESHOLD && Math.abs(effect) >= GAP_THRESHOLD,
  );
  if (off.length === 0) return { ...base, severity: "ok", detail: found, action: null, value };
  // A sampler keeps some traces of every arm.
  const isSilent = (arm: string) => arms[arm]!.share === 1;
  const isSampled = off.some(({ control, treatment }) => !isSilent(control) && !isSilent(treatment));
  if (!isSampled)
    return { ...base, severity: "warning", detail: `${found} ${SILENT}`, action: SILENT_ACTION, value };
  const isRead = experiment.config.metrics.some((metric) => readsTraces(metric, facts.attribution));
  const consequence = isRead
    ? "Results are withheld: t"
    : "No metric reads calls or scores of OpenTelemetry, so the results stand. T";
  return {
    ...base,
    severity: isRead ? "critical" : "warning",
    detail: `${found} ${consequence}he missing calls may differ from those that arrived.`,
    action: SAMPLED_ACTION,
    value,
  };
}

const SAMPLED_ACTION =
  "Look for a collector that keeps traces by their outcome, such as errors or latency (tail sampling), and sample at random instead. If a variant answers without a call, or fails before it, report the evaluation on a span too, which shows that the trace arrived.";
const SILENT = "No trace of an arm arrived at all, which sampling does not explain.";
const SILENT_ACTION =
  "If that arm is meant to work without a model, nothing is wrong. Otherwise check that its calls are exported, in the trace of the evaluation.";

interface Pair {
  readonly control: string;
  readonly treatment: string;
}

/** Returns the shares that samplers drop in two arms, if each arm has a single probability and the two differ; null otherwise. */
function knownSampling(sampling: TraceFacts["sampling"], pair: Pair): ReadonlyMap<string, number> | null {
  const [control, treatment] = [pair.control, pair.treatment].map((arm) =>
    sampling.find((own) => own.arm === arm),
  );
  if (control === undefined || treatment === undefined || !isOtherProbability(control, treatment))
    return null;
  return new Map([control, treatment].map(({ arm, largestWeight }) => [arm, 1 - 1 / largestWeight]));
}

/** Each user's share of lost traces, minus the share that is known to be dropped, within comparable allocation periods. */
function strataOf(
  traces: readonly LoggedTraces[],
  pair: Pair,
  {
    periods,
    known,
  }: { readonly periods: readonly AllocationPeriod[]; readonly known: ReadonlyMap<string, number> | null },
): readonly Stratum<Float64Array>[] {
  const strata = comparablePeriods(periods, pair).map((group) => {
    const sharesOf = (arm: string) =>
      Float64Array.from(
        traces.filter((user) => user.arm === arm && group.includes(user.period)),
        ({ lost, traces }) => lost / traces - (known?.get(arm) ?? 0),
      );
    return { control: sharesOf(pair.control), treatment: sharesOf(pair.treatment) };
  });
  // One user has no spread.
  return strata.filter(({ control, treatment }) => Math.min(control.length, treatment.length) > 1);
}

function sharesText(traces: readonly LoggedTraces[]): string {
  const arms = [...Map.groupBy(traces, ({ arm }) => arm)].sort(([one], [other]) => (one < other ? -1 : 1));
  return arms
    .map(
      ([arm, users]) =>
        `${arm} ${percent(sumOf(users.map(({ lost, traces }) => lost / traces)) / users.length)}`,
    )
    .join(", ");
}

/** Returns whether a metric reads events that OpenTelemetry reports for this experiment. Judged metrics read calls. */
function readsTraces(metric: MetricDefinition, { outcomes }: AttributionFacts): boolean {
  const reported = outcomes.filter((row) =>
    metric.source.event === "judge" ? row.type === "model_call" : isReported(metric, row),
  );
  return metric.acceptFrom?.includes("otlp") !== false && reported.some(({ source }) => source === "otlp");
}
