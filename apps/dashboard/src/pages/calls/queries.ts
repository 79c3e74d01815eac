import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";
import { type CallSearch, eventsQuery } from "./call-search.ts";

export type StoredCall = Wire<"StoredEventSummary">;
export type StoredCallDetail = Wire<"StoredEventDetail">;

/** The API's maximum page size. */
const PAGE = 200;

/** The calls that match the URL, page by page. They refresh only on request, because a moving list cannot be read. */
export function callsQuery(id: string, search: CallSearch) {
  const query = eventsQuery(search);
  return infiniteQueryOptions({
    queryKey: ["experiment", id, "calls", query],
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET("/v1/experiments/{id}/events", {
          params: {
            path: { id },
            query: { ...query, limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) },
          },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    // Comparing thousands of calls on every page load would make scrolling stutter.
    structuralSharing: false,
  });
}

/** Of longer threads, the page shows the beginning. */
export const THREAD_EVENTS = 50;

/** The events of a user that name the same conversation, run or trace, oldest first. */
export function threadQuery(
  id: string,
  { user_id, thread }: { readonly user_id: string; readonly thread: string },
) {
  const query = {
    user_id,
    thread,
    sort: "occurred_at",
    direction: "asc",
    limit: THREAD_EVENTS,
  } as const;
  return queryOptions({
    queryKey: ["experiment", id, "thread", query],
    queryFn: () => unwrap(api.GET("/v1/experiments/{id}/events", { params: { path: { id }, query } })),
  });
}

/** One call with its texts and the outcomes of its user. */
export function callQuery(id: string, eventId: string) {
  return queryOptions({
    queryKey: ["experiment", id, "call", eventId],
    queryFn: () =>
      unwrap(
        api.GET("/v1/experiments/{id}/events/{event_id}", { params: { path: { id, event_id: eventId } } }),
      ),
  });
}
