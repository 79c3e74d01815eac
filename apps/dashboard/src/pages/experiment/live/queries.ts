import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../../api/client.ts";

/** The events of any kind that occurred last. */
export function lastEventsQuery(id: string) {
  return queryOptions({
    queryKey: ["experiment", id, "last-events"],
    queryFn: () =>
      unwrap(api.GET("/v1/experiments/{id}/events", { params: { path: { id }, query: { limit: 50 } } })),
  });
}
