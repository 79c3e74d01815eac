import { type JudgedMetric, judge as operations, type ValueOf } from "@assay/contract";
import {
  type ControlStores,
  dayOf,
  type Experiment,
  type JudgedSeries,
  judgedMetrics,
  type MetricDefinition,
  type SeriesSummary,
  seriesOf,
  startOfDay,
} from "@assay/domain";
import { agreement } from "@assay/pipeline";
import { defineRoute } from "../../http/define-route.ts";
import { type JudgeAllowance, judgeLock, loadJudgeAllowance } from "../../judging/judge-allowance.ts";
import { judgedState } from "../../judging/judged-state.ts";
import type { JudgeStatus } from "../../judging/judging.ts";

type Item = ValueOf<typeof JudgedMetric>;

interface Judged {
  readonly experiment: Experiment;
  readonly metric: MetricDefinition;
  /** Null: nothing has been drawn yet. */
  readonly summary: SeriesSummary | null;
}

export const getJudges = defineRoute(operations.getJudges, async ({ caller: { orgId } }, deps) => {
  const { control, judging, clock } = deps;
  const since = startOfDay(dayOf(clock.now()));
  const summaries = await control.judgements.summarize({ orgId, since });
  const judged = findJudged(await control.experiments.list(orgId), summaries);
  const allowance = await loadJudgeAllowance(orgId, deps);
  const status = await judging.status();
  const items: Item[] = [];
  for (const one of judged)
    items.push({ ...itemOf(one, { status, allowance }), agreement: await loadKappa(one, control) });
  const total = (of: (summary: SeriesSummary) => number) => summaries.reduce((sum, one) => sum + of(one), 0);
  return {
    isConfigured: status.model !== null,
    model: status.model,
    lock: judgeLock(allowance),
    fault: status.fault,
    evaluations: {
      ...allowance,
      today: total(({ evaluationsSince }) => evaluationsSince),
      perMinute: status.perMinute,
    },
    backlog: total(({ backlog }) => backlog),
    costUsdToday: total(({ costUsdSince }) => costUsdSince),
    items,
  };
});

function findJudged(
  experiments: readonly Experiment[],
  summaries: readonly SeriesSummary[],
): readonly Judged[] {
  const ofExperiment = Map.groupBy(summaries, ({ experimentId }) => experimentId);
  return experiments
    .filter(({ config }) => config.status !== "draft" && config.status !== "archived")
    .flatMap((experiment) =>
      judgedMetrics(experiment).map((metric) => {
        const isOfMetric = (one: SeriesSummary) =>
          one.metric === metric.name && one.metricVersion === metric.metricVersion;
        return { experiment, metric, summary: ofExperiment.get(experiment.id)?.find(isOfMetric) ?? null };
      }),
    );
}

async function loadKappa(
  { experiment, metric, summary }: Judged,
  { judgements }: Pick<ControlStores, "judgements">,
): Promise<Item["agreement"]> {
  const hasLabels = Object.values(summary?.arms ?? {}).some(({ labels }) => labels > 0);
  if (metric.judge === null || !hasLabels) return null;
  const labels = await judgements.listCompared(seriesOf(experiment, metric));
  return agreement(labels, metric.judge.scale).overall;
}

function itemOf(
  { experiment, metric, summary }: Judged,
  standing: { readonly status: JudgeStatus; readonly allowance: JudgeAllowance },
): Omit<Item, "agreement"> {
  return {
    experimentId: experiment.id,
    experimentName: experiment.config.name,
    isDemo: experiment.isDemo,
    metric: metric.name,
    metricVersion: metric.metricVersion,
    judge: metric.judge,
    ...judgedState(experiment, metric, standing),
    ...progressOf(summary ?? NOTHING_DRAWN),
  };
}

type Drawn = Omit<SeriesSummary, keyof JudgedSeries | "judgeVersion" | "firstDay" | "lastDay">;

const NOTHING_DRAWN: Drawn & { readonly [Key in "judgeVersion" | "firstDay" | "lastDay"]: null } = {
  judgeVersion: null,
  firstDay: null,
  lastDay: null,
  arms: {},
  backlog: 0,
  oldestPendingAt: null,
  failures: [],
  evaluations: 0,
  evaluationsSince: 0,
  costUsd: 0,
  costUsdSince: 0,
  unpriced: 0,
  lastLabelledAt: null,
};

function progressOf(summary: SeriesSummary | typeof NOTHING_DRAWN) {
  const arms = Object.values(summary.arms);
  const failed = arms.reduce((sum, arm) => sum + arm.failed, 0);
  const made = failed + arms.reduce((sum, arm) => sum + arm.scored, 0);
  return {
    ...summary,
    failedShare: made === 0 ? null : failed / made,
    evaluationsToday: summary.evaluationsSince,
    costUsdToday: summary.costUsdSince,
  };
}
