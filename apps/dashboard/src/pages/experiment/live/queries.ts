import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../../api/client.ts";

/** The latest events of any type. */
export function lastEventsQuery(id: string) {
  return queryOptions({
    queryKey: ["experiment", id, "last-events"],
    queryFn: () =>
      unwrap(api.GET("/v1/experiments/{id}/events", { params: { path: { id }, query: { limit: 50 } } })),
  });
}
