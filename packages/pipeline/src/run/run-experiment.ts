import {
  type AllocationPeriod,
  type AnalysisLimits,
  allocationPeriods,
  type Clock,
  configExclusions,
  dayOf,
  type EventStore,
  type ExclusionMatch,
  type ExclusionStore,
  type Experiment,
  type ExperimentResults,
  type ExperimentStore,
  exclusionsInForce,
  isSamePlan,
  type Json,
  type JudgementStore,
  lastExclusion,
  type NewRun,
  type PlanChange,
  type PriceList,
  type ResultStore,
  type RunLabel,
  readSameEvents,
  resultsOf,
  type StoredRun,
  summarizeRun,
  type Variant,
} from "@assay/domain";
import { decisionBefore } from "../decide/decision-before.ts";
import { configuredModels } from "../health/facts.ts";
import { loadLoggedTraces } from "../health/lost-traces.ts";
import { loadJudged } from "../judge/load-judged.ts";
import { toNight } from "../nights.ts";
import type { RunFrame, VariantEdit } from "../run-frame.ts";
import { analyze } from "./analyze.ts";
import { loadQaUsers } from "./qa-users.ts";
import {
  armsQuery,
  loadFirstExposures,
  periodStarts,
  type RunEvents,
  rowsOf,
  runMetrics,
  withoutExcludedJudgements,
} from "./read-run-events.ts";

export interface PipelineDeps {
  readonly experiments: Pick<ExperimentStore, "listVersions">;
  readonly exclusions: Pick<ExclusionStore, "list">;
  readonly events: Pick<EventStore, "loadFirstSeen">;
  readonly results: Pick<ResultStore, "put" | "listNightlyBefore">;
  readonly judgements: Pick<JudgementStore, "summarize" | "listScored">;
  readonly clock: Clock;
  readonly limits: AnalysisLimits;
  readonly codeVersion: string;
  /** The price list of an experiment, the same for all its runs. */
  readonly loadPrices: (experiment: Experiment) => Promise<PriceList>;
  /** `analyzeEvents`, possibly in another thread. */
  readonly analyze: (frame: RunFrame) => Promise<ExperimentResults>;
}

export interface RunReport {
  readonly outcome: "computed" | "withheld" | "collecting";
  /** Why there are no rows; null when there are. */
  readonly detail: string | null;
  readonly results: ExperimentResults;
}

/** A run's label, and its exclusive cut-off in epoch milliseconds. */
interface Cut {
  readonly label: RunLabel;
  readonly until: number;
}

/** Nights that a run looks back on: two weeks show how fast precision grows (statistics §7). */
const NIGHTS = 14;

/**
 * Runs one experiment up to the cut-off `until` and stores the run: the same stages for nightly and manual runs.
 * A nightly run with no row at all is "collecting" and is not stored (spec §1.6); a withheld one is.
 */
export async function runExperiment(
  experiment: Experiment,
  run: Cut,
  deps: PipelineDeps,
): Promise<RunReport> {
  const report = await computeRun(experiment, run, deps);
  const { results } = report;
  if (run.label.kind === "manual" || report.outcome !== "collecting")
    await deps.results.put(runOf(experiment, results), summarizeRun(results));
  return report;
}

/** Like `runExperiment`, without storing the run. */
export async function computeRun(experiment: Experiment, run: Cut, deps: PipelineDeps): Promise<RunReport> {
  return toReport(await deps.analyze(await loadFrame(experiment, run, deps)));
}

/** Reads the events of a run, for its metrics, for its judged users and for the events' quality, and analyzes them. */
export async function analyzeEvents(given: RunFrame, events: RunEvents): Promise<ExperimentResults> {
  const { experiment, until } = given;
  const { metrics } = experiment.config;
  const frame = await withoutExcludedJudgements(given, events);
  const [{ arms, facts }, firstExposures] = await Promise.all([
    events.loadRun({
      ...armsQuery(frame, runMetrics(metrics)),
      factsUntil: until,
      configuredModels: configuredModels(experiment.config),
    }),
    loadFirstExposures(frame, events),
  ]);
  const loggedTraces = await loadLoggedTraces(
    facts.attribution,
    { ...rowsOf(frame), until, periodStarts: periodStarts(frame) },
    events,
  );
  return analyze(frame, arms, { ...facts, firstExposures, loggedTraces });
}

/** Loads the frame of a stored run: its version of the experiment and its exclusions, but today's scores and labels. */
export async function loadFrameOfRun(
  run: StoredRun,
  {
    experiments,
    exclusions,
    judgements,
    limits,
    codeVersion,
    loadPrices,
  }: Omit<PipelineDeps, "analyze" | "events">,
): Promise<RunFrame> {
  const { orgId, experimentId, windowTo: until, computedAt } = run;
  const { version, preliminary, exclusions: last = 0 } = resultsOf(run);
  const versions = [...(await experiments.listVersions(orgId, experimentId))].reverse();
  const experiment = versions.find((one) => one.version === version)!;
  const entries = await exclusions.list(orgId, experimentId);
  return {
    experiment,
    periods: periodsUntil(versions, until),
    variantEdits: [],
    label: preliminary ? { kind: "manual", at: until } : { kind: "nightly", day: dayOf(until - 1) },
    ...{ until, computedAt, limits, codeVersion },
    prices: await loadPrices(experiment),
    judged: await loadJudged(experiment, until, judgements),
    nights: [],
    // Contains the expected users to which the run's confidence sequences were tuned.
    decision: resultsOf(run).decision ?? null,
    planChanges: [],
    exclusions: { last, matches: matchesOf(exclusionsInForce(entries, last), experiment) },
    qaUsersSeen: new Map(),
  };
}

/** Reads everything that a run depends on except its events. */
export async function loadFrame(
  experiment: Experiment,
  { label, until }: Cut,
  deps: Omit<PipelineDeps, "analyze">,
): Promise<RunFrame> {
  const { experiments, exclusions, events, results, judgements, clock, limits, codeVersion, loadPrices } =
    deps;
  const { orgId, id } = experiment;
  const versions = [...(await experiments.listVersions(orgId, id))].reverse();
  // Only nights of earlier days: a run of the unfinished day cannot be repeated, so later runs must not
  // depend on it.
  const nights = await results.listNightlyBefore(orgId, id, { day: dayOf(until - 1), limit: NIGHTS });
  const entries = await exclusions.list(orgId, id);
  const qa = await loadQaUsers(experiment, { nights, versions, until }, events);
  const configOf = (night: StoredRun) =>
    versions.find(({ version }) => version === resultsOf(night).version)!.config;
  const { control } = experiment.config;
  const same = nights.filter(
    (night) =>
      readSameEvents(entries, toReading(night)) && qa.areSame(night) && configOf(night).control === control,
  );
  const decided = same.flatMap((night) => {
    const { decision } = resultsOf(night);
    return decision ? [decisionBefore(decision, { before: configOf(night), now: experiment.config })] : [];
  });
  return {
    experiment,
    periods: periodsUntil(versions, until),
    variantEdits: variantEdits(versions),
    label,
    until,
    computedAt: clock.now(),
    limits,
    codeVersion,
    prices: await loadPrices(experiment),
    judged: await loadJudged(experiment, until, judgements),
    nights: same.map((night) => toNight(resultsOf(night))),
    decision: decided.at(-1) ?? null,
    planChanges: planChanges(versions),
    exclusions: {
      last: lastExclusion(entries),
      matches: matchesOf(exclusionsInForce(entries), experiment),
    },
    qaUsersSeen: qa.seen,
  };
}

/** Lists everything that analyses of an experiment exclude: its exclusions, and what its config excludes. */
export function matchesOf(
  inForce: readonly { readonly match: ExclusionMatch }[],
  { config }: Experiment,
): readonly ExclusionMatch[] {
  return [...inForce.map(({ match }) => match), ...configExclusions(config)];
}

function toReading(night: StoredRun) {
  // Runs stored before this field existed lack it.
  return { upTo: resultsOf(night).exclusions ?? 0, until: night.windowTo };
}

/**
 * Groups the versions (oldest first) that were created before the cut-off into allocation periods. Users exposed before the
 * first version (replayed events) belong to the first period.
 */
export function periodsUntil(versions: readonly Experiment[], until: number): readonly AllocationPeriod[] {
  return allocationPeriods(versions.filter(({ updatedAt }, index) => index === 0 || updatedAt < until));
}

const WITHHELD_TEXT = {
  srm: "The traffic split differs from the allocation.",
  "lost-traces": "The arms lose different shares of their traces.",
} as const;

function toReport(results: ExperimentResults): RunReport {
  if (results.withheldBy !== null)
    return { outcome: "withheld", detail: WITHHELD_TEXT[results.withheldBy], results };
  if (Object.keys(results.results).length > 0) return { outcome: "computed", detail: null, results };
  const reasons = results.health.filter(({ code }) => code.startsWith("metric-")).map(({ detail }) => detail);
  const isEmpty = Object.values(results.srm.observed).every((users) => users === 0);
  const detail = isEmpty
    ? "No exposure that counts had come by then: the health checks list those that do not count."
    : reasons.join(" ");
  return {
    ...{ outcome: "collecting", results },
    detail: reasons.length === 0 ? "The experiment has no metrics." : detail,
  };
}

/** The results of an experiment as they are stored. */
export function runOf({ orgId, id }: Experiment, results: ExperimentResults): NewRun {
  return {
    orgId,
    experimentId: id,
    label: results.computedFor,
    preliminary: results.preliminary,
    windowTo: results.window.to,
    computedAt: results.computedAt,
    body: results as unknown as Json,
  };
}

/** Lists the changes of the decision plan, from an experiment's versions, oldest first. */
export function planChanges(versions: readonly Experiment[]): readonly PlanChange[] {
  return versions.flatMap(({ config: { plan }, updatedAt }, index) => {
    const before = versions[index - 1]?.config.plan;
    const isChange = before !== undefined && before.horizonWeeks !== null && !isSamePlan(before, plan);
    return isChange ? [{ at: updatedAt, reason: plan.reason ?? "" }] : [];
  });
}

/** Lists the changes of variants' prompts, variables and availability, from an experiment's versions, oldest first. */
export function variantEdits(versions: readonly Experiment[]): readonly VariantEdit[] {
  return versions.flatMap((version, index) => {
    const before = versions[index - 1];
    if (before === undefined) return [];
    return version.config.variants
      .filter((variant) => isEdited(before.config.variants, variant))
      .map(({ key }) => ({ variant: key, at: version.updatedAt }));
  });
}

function isEdited(before: readonly Variant[], after: Variant): boolean {
  const same = before.find(({ key }) => key === after.key);
  return same !== undefined && content(same) !== content(after);
}

function content({ prompt, variables, enabled }: Variant): string {
  return JSON.stringify([prompt, variables, enabled]);
}
