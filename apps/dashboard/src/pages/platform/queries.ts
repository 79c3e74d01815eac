import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";

const PAGE = 50;
const HEALTH_EVERY_MS = 15_000;

const pageAt = (cursor: string | null) => ({
  params: { query: { limit: PAGE, ...(cursor === null ? {} : { cursor }) } },
});

const firstCursor = null as string | null;

/** Queries of the platform owner, over all orgs. */
export const platformQueries = {
  overview: () =>
    queryOptions({
      queryKey: ["platform", "overview"],
      queryFn: () => unwrap(api.GET("/v1/admin/overview")),
    }),
  health: () =>
    queryOptions({
      queryKey: ["platform", "health"],
      queryFn: () => unwrap(api.GET("/v1/admin/health")),
      refetchInterval: HEALTH_EVERY_MS,
    }),
  deadLetters: () =>
    queryOptions({
      queryKey: ["platform", "dead-letters"],
      queryFn: () => unwrap(api.GET("/v1/admin/dead-letters")),
      refetchInterval: HEALTH_EVERY_MS,
    }),
  orgs: () =>
    infiniteQueryOptions({
      queryKey: ["platform", "orgs"],
      queryFn: ({ pageParam }) => unwrap(api.GET("/v1/admin/orgs", pageAt(pageParam))),
      initialPageParam: firstCursor,
      getNextPageParam: ({ next_cursor }) => next_cursor,
    }),
  org: (id: string) =>
    queryOptions({
      queryKey: ["platform", "org", id],
      queryFn: () => unwrap(api.GET("/v1/admin/orgs/{id}", { params: { path: { id } } })),
    }),
  inbox: () =>
    infiniteQueryOptions({
      queryKey: ["platform", "inbox"],
      queryFn: ({ pageParam }) => unwrap(api.GET("/v1/admin/inbox", pageAt(pageParam))),
      initialPageParam: firstCursor,
      getNextPageParam: ({ next_cursor }) => next_cursor,
    }),
};
