import type { EventFacts, EventStore, RunQuery } from "@assay/domain";

/** The part of a query on which the facts of events depend. */
export type FactsQuery = Pick<
  RunQuery,
  "orgId" | "experimentId" | "unit" | "exclusions" | "until" | "prices" | "configuredModels"
>;

/** Loads the facts of events in a run without metrics. */
export async function loadFacts(store: Pick<EventStore, "loadRun">, query: FactsQuery): Promise<EventFacts> {
  const { facts } = await store.loadRun({
    ...{ ...query, factsUntil: query.until, periodStarts: [], metrics: [], sample: null },
  });
  return facts;
}
