import { queryOptions, skipToken } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import type { StoredEventSummary } from "../../api/types.ts";

/** Polling interval while waiting; hidden tabs pause. */
const LOOK_MS = 2_000;
/** Reads several events, because test events may hide real ones. */
const LOOKED_AT = 10;

type EventType = StoredEventSummary["type"];

/** A real event of the type, or else a test event, or else null. Polls until it finds a real one. */
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

/** The cache key of the raw key of a scope created at that time; a rotated key has another time. */
export function rawKeyName(scope: string, createdAt: string) {
  return ["raw-key", scope, createdAt] as const;
}
