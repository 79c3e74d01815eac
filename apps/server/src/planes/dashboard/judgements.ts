import { judgementAnswer, judge as operations } from "@assay/contract";
import { seriesOf } from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";
import { pageAnswer, toPageQuery } from "../../http/page.ts";
import { metricOfBody } from "./asked-metric.ts";

export const listJudgements = defineRoute(
  operations.listJudgements,
  async ({ params, query, caller: { orgId } }, { control }) => {
    const { id: experimentId } = await control.experiments.get(orgId, params.id);
    const { metric, state } = query;
    const page = await control.judgements.list({
      ...toPageQuery(query),
      series: { orgId, experimentId, ...(metric !== undefined && { metric }) },
      ...(state !== undefined && { state }),
    });
    return pageAnswer(page, judgementAnswer);
  },
);

export const retryJudgements = defineRoute(
  operations.retryJudgements,
  async ({ params, body, caller }, { control, judging, clock }) => {
    const experiment = await control.experiments.get(caller.orgId, params.id);
    const series = seriesOf(experiment, metricOfBody(experiment, body.metric));
    const retried = await control.judgements.retryFailed(series, clock.now());
    if (retried > 0) judging.wake();
    return { retried };
  },
);
