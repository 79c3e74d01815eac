import { type JudgedMetric, judge as operations, toWireJudge, toWireKappa } from "@assay/contract";
import {
  type ControlStores,
  dayOf,
  type Experiment,
  judgedMetrics,
  type MetricDefinition,
  type SeriesSummary,
  seriesOf,
  startOfDay,
  toInstant,
} from "@assay/domain";
import { agreement } from "@assay/pipeline";
import type { Static } from "typebox";
import { defineRoute } from "../../http/define-route.ts";
import { type JudgeAllowance, judgeLock, loadJudgeAllowance } from "../../judging/judge-allowance.ts";
import { judgedState } from "../../judging/judged-state.ts";
import type { JudgeStatus } from "../../judging/judging.ts";

type WireItem = Static<typeof JudgedMetric>;

interface Judged {
  readonly experiment: Experiment;
  readonly metric: MetricDefinition;
  /** Null: nothing was drawn yet. */
  readonly summary: SeriesSummary | null;
}

export const getJudges = defineRoute(operations.getJudges, async ({ caller: { orgId } }, deps) => {
  const { control, judging, clock } = deps;
  const since = startOfDay(dayOf(clock.now()));
  const summaries = await control.judgements.summarise({ orgId, since });
  const judged = findJudged(await control.experiments.list(orgId), summaries);
  const allowance = await loadJudgeAllowance(orgId, deps);
  const status = await judging.status();
  const items: WireItem[] = [];
  for (const one of judged)
    items.push({ ...toWireItem(one, { status, allowance }), agreement: await loadKappa(one, control) });
  const total = (of: (summary: SeriesSummary) => number) => summaries.reduce((sum, one) => sum + of(one), 0);
  return {
    is_configured: status.model !== null,
    model: status.model,
    lock: judgeLock(allowance),
    fault: status.fault && { detail: status.fault.detail, since: toInstant(status.fault.since) },
    evaluations: {
      used: allowance.used,
      allowance: allowance.allowance,
      today: total(({ evaluationsSince }) => evaluationsSince),
      per_minute: status.perMinute,
    },
    backlog: total(({ backlog }) => backlog),
    cost_usd_today: total(({ costUsdSince }) => costUsdSince),
    items,
  };
});

function findJudged(
  experiments: readonly Experiment[],
  summaries: readonly SeriesSummary[],
): readonly Judged[] {
  const ofExperiment = Map.groupBy(summaries, ({ experimentId }) => experimentId);
  return experiments
    .filter(({ config }) => config.status !== "draft")
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
): Promise<WireItem["agreement"]> {
  const hasLabels = Object.values(summary?.arms ?? {}).some(({ labels }) => labels > 0);
  if (metric.judge === null || !hasLabels) return null;
  const labels = await judgements.listCompared(seriesOf(experiment, metric));
  return toWireKappa(agreement(labels, metric.judge.scale).overall);
}

function toWireItem(
  { experiment, metric, summary }: Judged,
  standing: { readonly status: JudgeStatus; readonly allowance: JudgeAllowance },
): Omit<WireItem, "agreement"> {
  return {
    experiment_id: experiment.id,
    experiment_name: experiment.config.name,
    is_demo: experiment.isDemo,
    metric: metric.name,
    metric_version: metric.metricVersion,
    judge: metric.judge && toWireJudge(metric.judge),
    ...judgedState(experiment, metric, standing),
    ...(summary === null ? NOTHING_DRAWN : toWireSummary(summary)),
  };
}

type WireSummary = Omit<
  WireItem,
  | "experiment_id"
  | "experiment_name"
  | "is_demo"
  | "metric"
  | "metric_version"
  | "judge"
  | "state"
  | "detail"
  | "agreement"
>;

const NOTHING_DRAWN: WireSummary = {
  judge_version: null,
  arms: {},
  backlog: 0,
  oldest_pending_at: null,
  failed_share: null,
  failures: [],
  evaluations: 0,
  evaluations_today: 0,
  cost_usd: 0,
  cost_usd_today: 0,
  unpriced: 0,
  first_day: null,
  last_day: null,
  last_labelled_at: null,
};

function toWireSummary(summary: SeriesSummary): WireSummary {
  const arms = Object.values(summary.arms);
  const failed = arms.reduce((sum, arm) => sum + arm.failed, 0);
  const made = failed + arms.reduce((sum, arm) => sum + arm.scored, 0);
  return {
    judge_version: summary.judgeVersion,
    arms: { ...summary.arms },
    backlog: summary.backlog,
    oldest_pending_at: instantOrNull(summary.oldestPendingAt),
    failed_share: made === 0 ? null : failed / made,
    failures: [...summary.failures],
    evaluations: summary.evaluations,
    evaluations_today: summary.evaluationsSince,
    cost_usd: summary.costUsd,
    cost_usd_today: summary.costUsdSince,
    unpriced: summary.unpriced,
    first_day: summary.firstDay,
    last_day: summary.lastDay,
    last_labelled_at: instantOrNull(summary.lastLabelledAt),
  };
}

const instantOrNull = (at: number | null) => (at === null ? null : toInstant(at));
