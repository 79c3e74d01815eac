import {
  type Creator,
  decisionProgress,
  decisiveRows,
  type Experiment,
  type ExperimentFacts,
  type ExposureCount,
  experimentState,
  failingGuardrails,
  isStale,
  leadingRow,
  needsAttention,
  openHold,
  type PipelineRun,
  type SummarizedRun,
} from "@assay/domain";
import { metricAnswer } from "./answer-experiment.ts";
import type { ExperimentOverview } from "./schemas/overview.ts";
import type { ValueOf } from "./wire.ts";

/** What the overview shows of an experiment in addition to its config. */
export interface OverviewParts {
  readonly formerNames: readonly string[];
  /** Null when unknown, or when the person is no longer a user. */
  readonly createdBy: Creator | null;
  readonly counts: readonly ExposureCount[];
  /** The run of the default view. */
  readonly lastRun: SummarizedRun | null;
  readonly lastNight: PipelineRun | null;
}

/** Builds the response for an experiment's overview. */
export function overviewAnswer(
  experiment: Experiment,
  parts: OverviewParts,
  now: number,
): ValueOf<typeof ExperimentOverview> {
  const { config } = experiment;
  const { formerNames, createdBy, counts, lastRun, lastNight } = parts;
  const facts = factsOf(experiment, parts);
  const primary = leadingRow(decisiveRows(facts));
  const primaryMetric = config.metrics.find(({ name }) => name === primary?.metric);
  return {
    ...experiment,
    name: config.name,
    status: config.status,
    control: config.control,
    unit: config.unit,
    variants: config.variants.map(({ key }) => key),
    tags: config.tags,
    formerNames,
    createdBy,
    state: experimentState(facts),
    needsAttention: needsAttention(facts, now),
    isStale: isStale(facts, now),
    users: Object.fromEntries([
      ...config.variants.map(({ key }) => [key, 0]),
      ...counts.map(({ variant, users }) => [variant, users]),
    ]),
    usersOfUnits: counts.find(({ clusters }) => clusters !== undefined)?.clusters,
    exposures: facts.exposures,
    lastExposureOn: facts.lastExposureOn,
    primary,
    primaryMetric: primaryMetric === undefined ? null : metricAnswer(primaryMetric),
    failingGuardrails: failingGuardrails(facts.lastRun),
    progress: decisionProgress(facts),
    tradeoffs: lastRun?.summary.tradeoffs ?? [],
    planStatus: lastRun?.summary.decision ?? null,
    worstRemark: lastRun?.summary.worstRemark ?? null,
    lastRun: lastRun && { ...lastRun, computedFor: lastRun.label, srmStatus: lastRun.summary.srmStatus },
    lastNight,
    decision: config.decision,
    shippedVariant: config.shippedVariant,
  };
}

function factsOf(
  { config, isDemo, updatedAt }: Experiment,
  { counts, lastRun, lastNight }: OverviewParts,
): ExperimentFacts {
  const days = counts.map(({ lastOn }) => lastOn).sort();
  return {
    status: config.status,
    isHeld: openHold(config) !== null,
    isDemo,
    decision: config.decision,
    primaryMetrics: config.metrics.filter(({ role }) => role === "primary").map(({ name }) => name),
    changedAt: updatedAt,
    exposures: counts.reduce((sum, { exposures }) => sum + exposures, 0),
    lastExposureOn: days.at(-1) ?? null,
    lastRun: lastRun && {
      ...lastRun.summary,
      computedAt: lastRun.computedAt,
      windowTo: lastRun.windowTo,
      preliminary: lastRun.preliminary,
    },
    lastNight,
  };
}
