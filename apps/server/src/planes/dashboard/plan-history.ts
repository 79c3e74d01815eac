import {
  addDays,
  type Baseline,
  type BaselineQuery,
  DAY_MS,
  dayOf,
  type Experiment,
  type ExperimentUnit,
  type MetricDefinition,
  type MetricQuery,
  type SmallerUnit,
  startOfDay,
  type UnitHistory,
} from "@assay/domain";
import { HISTORY_DAYS, metricQueries } from "@assay/pipeline";
import { demoIdOf } from "../../demo/demo.ts";
import { DEMOS } from "../../demo/demos.ts";
import type { Deps } from "../../deps.ts";
import { loadAllExclusions } from "../../exclusions/load-exclusions.ts";
import { loadPrices } from "../../prices/price-lists.ts";

interface HistoryDeps extends Pick<Deps, "control" | "events"> {
  readonly now: number;
  /** The experiment to plan. Null when it is not stored yet. */
  readonly plannedId: string | null;
}

/** Recent sums of what the org's users did, by user or by smaller unit. */
export interface OrgHistory {
  baseline: (unit: ExperimentUnit, metrics: readonly MetricDefinition[]) => Promise<Baseline>;
  ofUnits: (unit: SmallerUnit, metrics: readonly MetricDefinition[]) => Promise<UnitHistory>;
}

/**
 * Opens the recent sums for the metrics whose baseline can be computed from them. A metric with a window is read over a
 * history as long as that window. Over a longer one, users who came later would count as if they had done nothing. A
 * demo's users count only for that demo itself.
 */
export async function openHistory(
  orgId: string,
  { control, events, now, plannedId }: HistoryDeps,
): Promise<OrgHistory> {
  const start = startOfDay(addDays(dayOf(now), -HISTORY_DAYS));
  const experiments = await control.experiments.list(orgId);
  const { prices } = await loadPrices(orgId, dayOf(now), { control });
  const exclusions = await loadAllExclusions(orgId, experiments, { control });
  const demoIds = Object.values(DEMOS).map((demo) => demoIdOf(demo, orgId));
  const exceptExperimentIds = demoIds.filter((id) => id !== plannedId);
  const common = { orgId, until: now, prices, exclusions, exceptExperimentIds };
  const ofUnits = (unit: SmallerUnit, metrics: readonly MetricDefinition[]) =>
    overWindows(metrics, { start, now }, (window) =>
      events.loadUnitHistory({ ...common, ...window, unit, ofExperiments: idsOf(experiments, unit) }),
    );
  const baseline = async (unit: ExperimentUnit, metrics: readonly MetricDefinition[]) => {
    if (unit === "user")
      return overWindows(metrics, { start, now }, (window) => events.loadBaseline({ ...common, ...window }));
    const { unitsByDay, metrics: found } = await ofUnits(unit, metrics);
    return { metrics: found, usersByDay: unitsByDay };
  };
  return { baseline, ofUnits };
}

function idsOf(experiments: readonly Experiment[], unit: ExperimentUnit): readonly string[] {
  return experiments.filter(({ config }) => config.unit === unit).map(({ id }) => id);
}

/** Reads each metric over its window, and everything else over the whole history. */
async function overWindows<Read extends { readonly metrics: readonly unknown[] }>(
  metrics: readonly MetricDefinition[],
  { start, now }: { readonly start: number; readonly now: number },
  read: (window: Pick<BaselineQuery, "from" | "metrics">) => Promise<Read>,
): Promise<Read> {
  const summed = metricQueries(metrics.filter(({ kind }) => kind !== "quantile"));
  const byStart = Map.groupBy(summed, ({ windowDays }) =>
    windowDays === null ? start : Math.max(start, now - Math.round(windowDays * DAY_MS)),
  );
  const readFrom = (from: number) => read({ from, metrics: byStart.get(from) ?? ([] as MetricQuery[]) });
  const windows = [...byStart.keys()].filter((from) => from !== start);
  const [whole, ...parts] = await Promise.all([readFrom(start), ...windows.map(readFrom)]);
  return { ...whole!, metrics: [whole!, ...parts].flatMap((part) => part.metrics) };
}
