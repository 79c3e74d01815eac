import { addDays, type Baseline, DAY_MS, dayOf, type MetricDefinition, startOfDay } from "@assay/domain";
import { HISTORY_DAYS, metricQueries } from "@assay/pipeline";
import { demoIdOf } from "../../demo/demo.ts";
import { DEMOS } from "../../demo/demos.ts";
import type { Deps } from "../../deps.ts";
import { loadAllExclusions } from "../../exclusions/load-exclusions.ts";
import { loadPrices } from "../../prices/price-lists.ts";

interface HistoryDeps extends Pick<Deps, "control" | "events"> {
  readonly now: number;
  /** The experiment that is planned; null when it is not stored yet. */
  readonly plannedId: string | null;
}

/**
 * Reads what the org's users did lately, for the metrics whose baseline follows from sums over history. A metric with a window is
 * read over a history as long as that window: over a longer one, users who came later would count as if they had done nothing.
 * A demo's users count only for that demo itself.
 */
export async function loadHistory(
  orgId: string,
  metrics: readonly MetricDefinition[],
  { control, events, now, plannedId }: HistoryDeps,
): Promise<Baseline> {
  const start = startOfDay(addDays(dayOf(now), -HISTORY_DAYS));
  const summed = metricQueries(metrics.filter(({ kind }) => kind !== "quantile"));
  const byStart = Map.groupBy(summed, ({ windowDays }) =>
    windowDays === null ? start : Math.max(start, now - Math.round(windowDays * DAY_MS)),
  );
  const { prices } = await loadPrices(orgId, dayOf(now), { control });
  const exclusions = await loadAllExclusions(orgId, await control.experiments.list(orgId), { control });
  const demoIds = Object.values(DEMOS).map((demo) => demoIdOf(demo, orgId));
  const exceptExperimentIds = demoIds.filter((id) => id !== plannedId);
  const read = (from: number) =>
    events.loadBaseline({
      ...{ orgId, from, until: now, prices, exclusions, exceptExperimentIds },
      metrics: byStart.get(from) ?? [],
    });
  const windows = [...byStart.keys()].filter((from) => from !== start);
  const [whole, ...parts] = await Promise.all([read(start), ...windows.map(read)]);
  return { ...whole, metrics: [whole, ...parts].flatMap((part) => part.metrics) };
}
