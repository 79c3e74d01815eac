import {
  type MetricEntry,
  metricAnswer,
  metrics as operations,
  toMetric,
  type ValueOf,
} from "@assay/contract";
import {
  type Experiment,
  followsShared,
  type MetricDefinition,
  nextShared,
  rejectFaults,
} from "@assay/domain";
import { changeConfig, recordMetric, recordUpdate } from "../../config/change-config.ts";
import { changeSharedMetric, loadShared } from "../../config/change-shared-metric.ts";
import { defineRoute } from "../../http/define-route.ts";

export const listMetrics = defineRoute(operations.listMetrics, async ({ caller }, { control }) => {
  const [experiments, shared] = await Promise.all([
    control.experiments.list(caller.orgId),
    loadShared(caller.orgId, control),
  ]);
  const uses = Map.groupBy(usesIn(experiments), ({ metric }) => metric.name);
  const names = [...new Set([...uses.keys(), ...shared.keys()])].sort();
  return { items: names.map((name) => entryOf(shared.get(name), uses.get(name) ?? [])) };
});

export const getMetric = defineRoute(operations.getMetric, async ({ params, caller }, { control }) => {
  const shared = await control.sharedMetrics.get(caller.orgId, params.name);
  return entryOf(shared, usesOf(shared, await control.experiments.list(caller.orgId)));
});

export const putMetric = defineRoute(operations.putMetric, async ({ params, body, caller }, deps) => {
  const sent = toMetric(body);
  return changeConfig(caller, deps, async (stores) => {
    const { orgId, userId } = caller;
    const from = await stores.sharedMetrics.get(orgId, params.name);
    const to = nextShared(from, sent);
    const change = { orgId, from, to, at: deps.clock.now(), by: userId };
    const { minted, faults } = await changeSharedMetric(change, stores);
    rejectFaults(faults);
    await recordMetric(stores, caller, { from, to }, deps);
    const cause = `The shared metric "${to.name}" changed.`;
    for (const version of minted) await recordUpdate(stores, caller, { ...version, cause }, deps);
    return entryOf(to, usesOf(to, await stores.experiments.list(orgId)));
  });
});

interface Use {
  readonly metric: MetricDefinition;
  readonly experiment: Experiment;
}

const usesIn = (experiments: readonly Experiment[]): readonly Use[] =>
  experiments.flatMap((experiment) => experiment.config.metrics.map((metric) => ({ metric, experiment })));

const usesOf = ({ name }: MetricDefinition, experiments: readonly Experiment[]) =>
  usesIn(experiments).filter(({ metric }) => metric.name === name);

/** Makes the entry of a metric and its uses. At least one of the two exists. */
function entryOf(shared: MetricDefinition | undefined, uses: readonly Use[]): ValueOf<typeof MetricEntry> {
  return {
    definition: metricAnswer(shared ?? uses.reduce(newer).metric),
    usedBy: uses.map(({ metric, experiment: { id, config } }) => ({
      id,
      name: config.name,
      status: config.status,
      unit: config.unit,
      metricVersion: metric.metricVersion,
      follows: followsShared(metric, shared),
    })),
  };
}

/**
 * Of two equal metric versions, takes the one whose experiment changed last. If they changed at the same instant, takes
 * that of the newer experiment.
 */
function newer(one: Use, other: Use): Use {
  const byVersion = other.metric.metricVersion - one.metric.metricVersion;
  if (byVersion !== 0) return byVersion > 0 ? other : one;
  return other.experiment.updatedAt > one.experiment.updatedAt ? other : one;
}
