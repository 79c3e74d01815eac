import { queryOptions, skipToken } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import type { StoredEventSummary } from "../../api/types.ts";

/** While something is waited for, it is looked for this often. The browser's hidden tabs wait too. */
const LOOK_MS = 2_000;
/** Test events and those of a first user may lie above each other. */
const LOOKED_AT = 10;

type EventType = StoredEventSummary["type"];

/** The first event of a type that is not a test; else the test; null: none was received. Looks until it found a real one. */
export function firstEvent(experimentId: string | null, type: EventType) {
  return queryOptions({
    queryKey: ["experiment", experimentId, "first", type],
    queryFn: experimentId === null ? skipToken : () => findEvent(experimentId, type),
    refetchInterval: ({ state: { data } }) => (data && !data.is_test ? false : LOOK_MS),
    staleTime: LOOK_MS,
  });
}

async function findEvent(id: string, type: EventType): Promise<StoredEventSummary | null> {
  const { items } = await unwrap(
    api.GET("/v1/experiments/{id}/events", { params: { path: { id }, query: { type, limit: LOOKED_AT } } }),
  );
  return items.find(({ is_test }) => !is_test) ?? items[0] ?? null;
}

/** The raw publishable key made at that time, once it was made or revealed here. A rotated key has another time. */
export function rawKeyName(createdAt: string) {
  return ["raw-publishable-key", createdAt] as const;
}
