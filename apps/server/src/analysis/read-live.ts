import type { Distribution, Experiment } from "@assay/domain";
import { liveDistributions, metricQueries } from "@assay/pipeline";
import type { Deps } from "../deps.ts";
import { loadExperimentPrices } from "../prices/price-lists.ts";

export interface LiveView {
  readonly asOf: number;
  readonly exposures: Readonly<Record<string, number>>;
  readonly users: Readonly<Record<string, number>>;
  readonly distributions: Readonly<Record<string, Readonly<Record<string, Distribution>>>>;
}

/** Reads counts and distributions as they stand, with no gate, no test and no correction (spec §4). */
export async function readLive(
  experiment: Experiment,
  { control, events, clock }: Pick<Deps, "control" | "events" | "clock">,
): Promise<LiveView> {
  const asOf = clock.now();
  const { orgId, id, config } = experiment;
  const { prices } = await loadExperimentPrices(experiment, { control });
  const [traffic, snapshot] = await Promise.all([
    events.traffic(orgId, id),
    events.loadArms({
      orgId,
      experimentId: id,
      until: asOf + 1,
      periodStarts: [],
      metrics: metricQueries(config.metrics),
      prices,
      sample: null,
    }),
  ]);
  const zeros = Object.fromEntries(config.variants.map(({ key }) => [key, 0]));
  const exposures: Record<string, number> = { ...zeros };
  for (const point of traffic) exposures[point.variant] = (exposures[point.variant] ?? 0) + point.exposures;
  const users: Record<string, number> = { ...zeros };
  for (const { arm, users: count } of snapshot.exposures) users[arm] = (users[arm] ?? 0) + count;
  const binary = new Set(config.metrics.filter(({ kind }) => kind === "binary").map(({ name }) => name));
  return { asOf, exposures, users, distributions: liveDistributions(snapshot.metrics, binary) };
}
