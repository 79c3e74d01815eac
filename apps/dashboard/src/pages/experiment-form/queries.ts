import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap, type WithArrays } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";

const PRICES_STALE_MS = 10 * 60_000;
export type PlanBody = WithArrays<Wire<"ConfigPlanRequest">>;

/** Queries that only the experiment form needs. */
export const formQueries = {
  /** Today's prices, one per model. */
  prices: () =>
    queryOptions({
      queryKey: ["prices", "today"],
      queryFn: () => {
        const today = new Date().toISOString().slice(0, 10);
        return unwrap(api.GET("/v1/prices", { params: { query: { as_of: today } } }));
      },
      staleTime: PRICES_STALE_MS,
    }),
  /** The plan of a config that is not stored; the previous answer stays while the next one loads. */
  plan: (body: PlanBody | null) =>
    queryOptions({
      queryKey: ["plan", body],
      queryFn: () => {
        if (body === null) throw new Error("A plan was requested without an experiment.");
        return unwrap(api.POST("/v1/plan", { body }));
      },
      enabled: body !== null,
      placeholderData: keepPreviousData,
      retry: false,
    }),
};
