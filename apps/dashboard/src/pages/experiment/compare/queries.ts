import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../../api/client.ts";
import type { Wire } from "../../../api/types.ts";
import { type CompareSearch, orderOf } from "./compare-search.ts";

export type Comparison = Wire<"Comparison">;
export type ComparedAnswer = Wire<"ComparedAnswer">;
export type PickSummary = Wire<"PickSummary">;

/** The API's maximum. */
export const MOST_SHOWN = 100;

/** The comparisons selected by the URL. They change only on request, because a moving list is unreadable. */
export function comparisonsQuery(id: string, search: CompareSearch, limit: number) {
  const { text, calls } = search;
  const query = { order: orderOf(search), limit, ...(text && { text }), ...(calls && { calls }) };
  return queryOptions({
    queryKey: ["experiment", id, "comparisons", query],
    queryFn: () => unwrap(api.GET("/v1/experiments/{id}/comparisons", { params: { path: { id }, query } })),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
}

/** Stores which answer a person found best. Null: none. Returns the answers with their variants. */
export function storePick(id: string, eventIds: readonly string[], best: string | null) {
  const body = { event_ids: [...eventIds], best };
  return unwrap(api.POST("/v1/experiments/{id}/picks", { params: { path: { id } }, body }));
}
