import { metricAnswer, overview as operations } from "@assay/contract";
import type { Experiment, MetricDefinition } from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";

interface Use {
  readonly metric: MetricDefinition;
  readonly experiment: Experiment;
}

export const listMetrics = defineRoute(operations.listMetrics, async ({ caller }, { control }) => {
  const experiments = await control.experiments.list(caller.orgId);
  const uses = experiments.flatMap((experiment) =>
    experiment.config.metrics.map((metric): Use => ({ metric, experiment })),
  );
  const byName = [...Map.groupBy(uses, ({ metric }) => metric.name)];
  return {
    items: byName
      .sort(([name], [other]) => (name < other ? -1 : 1))
      .map(([, ofName]) => ({
        definition: metricAnswer(ofName.reduce(newer).metric),
        usedBy: ofName.map(({ metric, experiment: { id, config } }) => ({
          id,
          name: config.name,
          status: config.status,
          metricVersion: metric.metricVersion,
        })),
      })),
  };
});

/** Of equal metric versions that of the experiment changed last, and of those of one instant the newest experiment's. */
function newer(one: Use, other: Use): Use {
  const byVersion = other.metric.metricVersion - one.metric.metricVersion;
  if (byVersion !== 0) return byVersion > 0 ? other : one;
  return other.experiment.updatedAt > one.experiment.updatedAt ? other : one;
}
