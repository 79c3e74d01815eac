import { type Baseline, type BaselineQuery, dayOf, type StoredEvent, TEST_USER_PREFIX } from "@assay/domain";
import { areSampled, capOf, inSample, metricSums, valuesOf, windowMs } from "./reference-metric.ts";

/** Computes the expected answer of `loadBaseline`: slow, plain and independent of the SQL. */
export function referenceBaseline(events: readonly StoredEvent[], query: BaselineQuery): Baseline {
  const { orgId, from, until } = query;
  const seen = events.filter(
    (event) =>
      event.orgId === orgId &&
      event.occurredAt >= from &&
      event.occurredAt < until &&
      !event.userId.startsWith(TEST_USER_PREFIX),
  );
  const users = [...Map.groupBy(seen, ({ userId }) => userId).values()];
  const days = users.map((own) => dayOf(Math.min(...own.map(({ occurredAt }) => occurredAt))));
  return {
    metrics: query.metrics.flatMap((metric) => {
      const samples = users.map((own) => {
        const inWindow = own.filter(({ occurredAt }) => occurredAt < from + windowMs(metric));
        return { values: valuesOf(inWindow, metric, query.prices), before: [] };
      });
      if (samples.every(({ values }) => values.length === 0)) return [];
      const sampled = inSample(samples, metric, areSampled(samples));
      return [{ metric: metric.name, ...metricSums(sampled, metric, capOf(metric, sampled)) }];
    }),
    usersByDay: new Map(days.map((day) => [day, days.filter((other) => other === day).length])),
  };
}
