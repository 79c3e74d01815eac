import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";

export type Channel = Wire<"AlertChannel">;
export type Delivery = Wire<"AlertDelivery">;
export type AlertType = NonNullable<Channel["types"]>[number];
export type Kind = Channel["kind"];

/** A secret that was just made. */
export interface ShownSecret {
  readonly channel: string;
  readonly secret: string;
}

const PAGE = 20;
/** A waiting message is soon something else. */
const REFRESH_MS = 5_000;

/** The org's channels. */
export const channelsQuery = () =>
  queryOptions({ queryKey: ["alert-channels"], queryFn: () => unwrap(api.GET("/v1/alert-channels")) });

/** A channel's deliveries, newest first. */
export const deliveriesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["alert-deliveries", id],
    queryFn: ({ pageParam }) => {
      const query = { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return unwrap(api.GET("/v1/alert-channels/{id}/deliveries", { params: { path: { id }, query } }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: REFRESH_MS,
  });
