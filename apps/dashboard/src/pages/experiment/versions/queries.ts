import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../../api/client.ts";

/** Names by user id, for the first 200 members. */
export function memberNamesQuery() {
  return queryOptions({
    queryKey: ["members", "names"],
    queryFn: async (): Promise<ReadonlyMap<string, string>> => {
      const { items } = await unwrap(api.GET("/v1/members", { params: { query: { limit: 200 } } }));
      return new Map(items.map(({ user_id, name, email }) => [user_id, name || email]));
    },
    staleTime: 60_000,
  });
}
