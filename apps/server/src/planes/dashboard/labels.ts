import { comparedLabelAnswer, labelAnswer, judge as operations } from "@assay/contract";
import {
  DISAGREEMENT,
  type FieldFault,
  isScoreOf,
  type JudgedSeries,
  type JudgeScale,
  type Label,
  type SeriesSummary,
  seriesOf,
} from "@assay/domain";
import { agreement, MIN_LABELS_PER_ARM } from "@assay/pipeline";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { pageAnswer, toPageQuery } from "../../http/page.ts";
import { rejectBody } from "../../http/validate.ts";
import { countDrawn, isInLabelHead, levelArms, listLabelHead, takeCalls } from "../../judging/label-queue.ts";
import { metricOfBody, metricOfQuery } from "./asked-metric.ts";

const QUEUED_CALLS = 50;

export const createLabel = defineRoute(operations.createLabel, async ({ params, body, caller }, deps) => {
  const { judgements, experiments } = deps.control;
  const experiment = await experiments.get(caller.orgId, params.id);
  const metric = metricOfBody(experiment, body.metric);
  const series = seriesOf(experiment, metric);
  const { eventId, score, note = null } = body;
  rejectBody([
    ...(await callFaults(series, eventId, deps)),
    ...(score === null ? [] : scoreFaults(metric.judge.scale, score)),
  ]);
  const label: Label = {
    ...series,
    eventId,
    score,
    note,
    labelledBy: caller.userId,
    labelledByName: caller.name || caller.email,
    labelledAt: deps.clock.now(),
    isDrawn: await isDrawn(series, eventId, deps),
  };
  await judgements.putLabel(label);
  return labelAnswer(label);
});

async function callFaults(
  { orgId, experimentId, metric, metricVersion }: JudgedSeries,
  eventId: string,
  { control }: Pick<Deps, "control">,
): Promise<readonly FieldFault[]> {
  const judgements = await control.judgements.listOfEvents(orgId, experimentId, [eventId]);
  // A call that still waits for its score may be labeled before the judge scores it.
  const isDrawn = judgements.some(
    (judgement) =>
      judgement.metric === metric &&
      judgement.metricVersion === metricVersion &&
      judgement.state !== "failed",
  );
  if (isDrawn) return [];
  const detail = `No call with this id was drawn for the judge under version ${metricVersion} of the metric, or the judge could not score it.`;
  return [{ pointer: "/event_id", detail }];
}

const SCORES: Readonly<Record<JudgeScale, string>> = {
  pass_fail: "The score must be 1 for a pass or 0 for a fail.",
  "1-5": "The score must be a whole number from 1 to 5.",
  "0-1": "The score must be a number from 0 to 1.",
};

function scoreFaults(scale: JudgeScale, score: number): readonly FieldFault[] {
  return isScoreOf(scale, score) ? [] : [{ pointer: "/score", detail: SCORES[scale] }];
}

/** A label that replaces another keeps the way its call was chosen. */
async function isDrawn(series: JudgedSeries, eventId: string, deps: Deps): Promise<boolean> {
  const before = await deps.control.judgements.findLabel(series, eventId);
  if (before !== null) return before.isDrawn;
  return isInLabelHead(series, eventId, deps);
}

export const listLabels = defineRoute(
  operations.listLabels,
  async ({ params, query, caller: { orgId } }, { control }) => {
    const { id: experimentId } = await control.experiments.get(orgId, params.id);
    const { metric, disagreeing } = query;
    const page = await control.judgements.listLabels({
      ...toPageQuery(query),
      series: { orgId, experimentId, ...(metric !== undefined && { metric }) },
      ...(disagreeing !== undefined && { differsBy: DISAGREEMENT }),
    });
    return pageAnswer(page, comparedLabelAnswer);
  },
);

export const getLabelQueue = defineRoute(
  operations.getLabelQueue,
  async ({ params, query: { metric: name, limit = QUEUED_CALLS }, caller }, deps) => {
    const { experiments, judgements } = deps.control;
    const experiment = await experiments.get(caller.orgId, params.id);
    const metric = metricOfQuery(experiment, name);
    const series = seriesOf(experiment, metric);
    const drawn = countDrawn(await judgements.listCompared(series));
    const candidates = levelArms(await listLabelHead(series, deps), drawn);
    const calls = await takeCalls(experiment, { candidates, limit }, deps);
    const arms = Object.keys((await findSummary(series, deps))?.arms ?? {});
    return {
      metric: metric.name,
      metricVersion: metric.metricVersion,
      judge: metric.judge,
      unit: experiment.config.unit,
      items: calls.map(({ candidate, input, answer }) => ({ eventId: candidate.eventId, input, answer })),
      labelled: arms.length === 0 ? 0 : Math.min(...arms.map((arm) => drawn[arm] ?? 0)),
      needed: MIN_LABELS_PER_ARM,
      waiting: candidates.length,
    };
  },
);

export const getAgreement = defineRoute(operations.getAgreement, async ({ params, query, caller }, deps) => {
  const { experiments, judgements } = deps.control;
  const experiment = await experiments.get(caller.orgId, params.id);
  const { name, metricVersion, judge } = metricOfQuery(experiment, query.metric);
  const series = seriesOf(experiment, { name, metricVersion });
  const judgeVersion = await judgements.findJudgeVersion(series);
  const about = { metric: name, metricVersion, judgeVersion, needed: MIN_LABELS_PER_ARM };
  return { ...about, ...agreement(await judgements.listCompared(series), judge.scale) };
});

async function findSummary(
  { orgId, experimentId, metric, metricVersion }: JudgedSeries,
  { control, clock }: Pick<Deps, "control" | "clock">,
): Promise<SeriesSummary | undefined> {
  const summaries = await control.judgements.summarize({ orgId, experimentId, since: clock.now() });
  return summaries.find((one) => one.metric === metric && one.metricVersion === metricVersion);
}
