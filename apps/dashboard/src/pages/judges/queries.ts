import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";

export type JudgedMetric = Wire<"JudgesOverview">["items"][number];
export type Agreement = Wire<"Agreement">;
export type ArmAgreement = Agreement["overall"];
export type ComparedLabel = Wire<"LabelPage">["items"][number];
export type Judgement = Wire<"Judgement">;

const PAGE = 20;
/** Polling interval while there is a backlog. */
export const POLL_MS = 5_000;

/** The cache key of all data of a judge, invalidated by labels and retries. */
export const judgeKey = (id: string, metric: string) => ["experiment", id, "judge", metric] as const;

/** Queries of one judge with their cache keys. */
export const judgeQueries = {
  agreement: (id: string, metric: string) =>
    queryOptions({
      queryKey: [...judgeKey(id, metric), "agreement"],
      queryFn: () =>
        unwrap(
          api.GET("/v1/experiments/{id}/labels/agreement", { params: { path: { id }, query: { metric } } }),
        ),
    }),
  disagreements: (id: string, metric: string) =>
    infiniteQueryOptions({
      queryKey: [...judgeKey(id, metric), "disagreements"],
      queryFn: ({ pageParam }) =>
        unwrap(
          api.GET("/v1/experiments/{id}/labels", {
            params: {
              path: { id },
              query: { metric, disagreeing: "true", limit: PAGE, ...cursorOf(pageParam) },
            },
          }),
        ),
      initialPageParam: null as string | null,
      getNextPageParam: ({ next_cursor }) => next_cursor,
    }),
  failures: (id: string, metric: string) =>
    infiniteQueryOptions({
      queryKey: [...judgeKey(id, metric), "failures"],
      queryFn: ({ pageParam }) =>
        unwrap(
          api.GET("/v1/experiments/{id}/judgements", {
            params: { path: { id }, query: { metric, state: "failed", limit: PAGE, ...cursorOf(pageParam) } },
          }),
        ),
      initialPageParam: null as string | null,
      getNextPageParam: ({ next_cursor }) => next_cursor,
    }),
};

const cursorOf = (cursor: string | null) => (cursor === null ? {} : { cursor });
