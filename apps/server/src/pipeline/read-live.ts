import {
  type ArmSnapshot,
  type Distribution,
  type Experiment,
  eventsOf,
  type MetricQuery,
  type MinuteOfExposures,
} from "@assay/domain";
import { countArms, liveDistributions, metricQueries } from "@assay/pipeline";
import type { Deps } from "../deps.ts";
import { loadExclusions } from "../exclusions/load-exclusions.ts";
import { loadExperimentPrices } from "../prices/price-lists.ts";

export interface LiveView {
  readonly asOf: number;
  readonly exposures: Readonly<Record<string, number>>;
  readonly users: Readonly<Record<string, number>>;
  readonly distributions: Readonly<Record<string, Readonly<Record<string, Distribution>>>>;
  /** By metric, then by arm. */
  readonly evaluatedEvents: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly exposuresByMinute: readonly MinuteOfExposures[];
  /** Users whose units `users` counts; undefined where users are the units. */
  readonly usersOfUnits: number | undefined;
}

const MINUTE_MS = 60_000;
/** Minutes of exposures shown, including the current one. */
const MINUTES = 60;

/** Reads the current counts and distributions, without gate, test or correction (spec §4). */
export async function readLive(
  experiment: Experiment,
  { control, events, clock }: Pick<Deps, "control" | "events" | "clock">,
): Promise<LiveView> {
  const asOf = clock.now();
  const { config } = experiment;
  const { prices } = await loadExperimentPrices(experiment, { control });
  const rows = eventsOf(experiment, await loadExclusions(experiment, { control }));
  const metrics = metricQueries(config.metrics);
  const firstMinute = Math.floor(asOf / MINUTE_MS) - MINUTES + 1;
  const [traffic, exposuresByMinute, snapshot] = await Promise.all([
    events.traffic(rows),
    events.exposuresByMinute({ ...rows, from: firstMinute * MINUTE_MS, until: asOf + 1 }),
    events.loadArms({ ...rows, until: asOf + 1, periodStarts: [], metrics, prices, sample: null }),
  ]);
  const zeros = Object.fromEntries(config.variants.map(({ key }) => [key, 0]));
  const exposures: Record<string, number> = { ...zeros };
  for (const point of traffic) exposures[point.variant] = (exposures[point.variant] ?? 0) + point.exposures;
  const users: Record<string, number> = { ...zeros };
  for (const { arm, users: count } of snapshot.exposures) users[arm] = (users[arm] ?? 0) + count;
  const binary = new Set(config.metrics.filter(({ kind }) => kind === "binary").map(({ name }) => name));
  return {
    ...{ asOf, exposures, users, exposuresByMinute, usersOfUnits: snapshot.clusters },
    distributions: liveDistributions(snapshot.metrics, binary),
    evaluatedEvents: evaluatedEvents(metrics, snapshot, Object.keys(zeros)),
  };
}

/** Counts as the pipeline does, which needs 200 per arm (contract §9). */
function evaluatedEvents(metrics: readonly MetricQuery[], snapshot: ArmSnapshot, arms: readonly string[]) {
  return Object.fromEntries(
    metrics.map(({ name }) => {
      const counts = countArms(
        snapshot.metrics.filter(({ metric }) => metric === name),
        arms,
      );
      return [name, Object.fromEntries(counts.map(({ arm, events }) => [arm, events]))];
    }),
  );
}
