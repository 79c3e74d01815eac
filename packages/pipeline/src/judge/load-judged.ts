import {
  type Experiment,
  type JudgedSeries,
  type JudgementStore,
  judgedMetrics,
  type MetricDefinition,
  type ScoredCall,
  seriesOf,
} from "@assay/domain";
import type { JudgedMetric } from "../run-frame.ts";

type Judgements = Pick<JudgementStore, "summarize" | "listScored">;

const PAGE = 1_000;

/** Reads the judges' scores of calls before `until` (epoch milliseconds), per metric whose source is a judge. */
export async function loadJudged(
  experiment: Pick<Experiment, "orgId" | "id" | "config">,
  until: number,
  judgements: Judgements,
): Promise<readonly JudgedMetric[]> {
  const metrics = judgedMetrics(experiment);
  if (metrics.length === 0) return [];
  const { orgId, id: experimentId } = experiment;
  const summaries = await judgements.summarize({ orgId, experimentId, since: until });
  const judged: JudgedMetric[] = [];
  for (const metric of metrics) {
    const series = seriesOf(experiment, metric);
    const summary = summaries.find((one) => isOf(one, metric)) ?? null;
    const calls = summary === null ? [] : await loadScored(series, until, judgements);
    judged.push({ metric: metric.name, summary, calls });
  }
  return judged;
}

function isOf(series: JudgedSeries, { name, metricVersion }: MetricDefinition): boolean {
  return series.metric === name && series.metricVersion === metricVersion;
}

async function loadScored(
  series: JudgedSeries,
  until: number,
  judgements: Judgements,
): Promise<readonly ScoredCall[]> {
  const calls: ScoredCall[] = [];
  let page: readonly ScoredCall[];
  do {
    const after = calls.at(-1)?.eventId ?? null;
    page = await judgements.listScored(series, { until, after, limit: PAGE });
    calls.push(...page);
  } while (page.length === PAGE);
  return calls;
}
