import { dayOf, type Experiment, hasRubricMetric, monthOf, type RubricMetric, seriesOf } from "@assay/domain";
import type { Deps } from "../deps.ts";
import { type DrawDeps, drawEarly } from "./draw-day.ts";

/** How often the first calls of a day are looked for, for a metric that has been judged before. */
const RECHECK_MS = 600_000;

/** Draws from a metric's calls, in an experiment whose judges are pinned. */
export type DrawMetric = (experiment: Experiment, metric: RubricMetric) => Promise<void>;

type DrawMetrics = (experiment: Experiment, drawOne: DrawMetric) => Promise<void>;

/**
 * Makes the task that gets the first calls of the current day judged. A metric on its first day is checked at every run, others every
 * ten minutes. It looks only at orgs whose events were counted since its last look, so idle experiments cost no query.
 */
export function createEarlyDraws(
  drawMetrics: DrawMetrics,
  deps: DrawDeps & { readonly control: Deps["control"] },
): () => Promise<void> {
  const { control, clock } = deps;
  /** By org: its number of events this month at the last check. */
  const seen = new Map<string, number>();
  /** By metric: when to check again on this day. */
  let checkAt = new Map<string, number>();
  let today = dayOf(clock.now());

  const drawOne: DrawMetric = async (experiment, metric) => {
    const key = keyOf(experiment, metric);
    if (clock.now() < (checkAt.get(key) ?? 0)) return;
    const isDone = await drawEarly(experiment, { metric, day: today }, deps);
    const drawnDays = await control.judgements.listPlannedDays(seriesOf(experiment, metric));
    if (isDone) checkAt.set(key, Number.POSITIVE_INFINITY);
    else if (drawnDays.length > 0) checkAt.set(key, clock.now() + RECHECK_MS);
  };

  return async () => {
    if (dayOf(clock.now()) !== today) {
      today = dayOf(clock.now());
      checkAt = new Map();
    }
    const experiments = await control.experiments.listForNightly(clock.now());
    const judged = experiments.filter(
      (experiment) => experiment.config.status === "running" && hasRubricMetric(experiment),
    );
    for (const [orgId, ofOrg] of Map.groupBy(judged, (experiment) => experiment.orgId)) {
      const { events } = await control.usage.get(orgId, monthOf(clock.now()));
      if (seen.get(orgId) === events) continue;
      seen.set(orgId, events);
      for (const experiment of ofOrg) await drawMetrics(experiment, drawOne);
    }
  };
}

function keyOf({ id }: Experiment, { name, metricVersion }: RubricMetric): string {
  return `${id} ${metricVersion} ${name}`;
}
