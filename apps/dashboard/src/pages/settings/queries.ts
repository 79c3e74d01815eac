import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";

export type Member = Wire<"Member">;
export type Role = Member["role"];

const PAGE = 100;

const firstCursor = null as string | null;

/** The org's members, newest first. */
export const membersQuery = () =>
  infiniteQueryOptions({
    queryKey: ["members"],
    queryFn: ({ pageParam }) => unwrap(api.GET("/v1/members", { params: { query: pageAt(pageParam) } })),
    initialPageParam: firstCursor,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** Pending invitations; only for admins. */
export const invitationsQuery = () =>
  infiniteQueryOptions({
    queryKey: ["invitations"],
    queryFn: ({ pageParam }) => unwrap(api.GET("/v1/invitations", { params: { query: pageAt(pageParam) } })),
    initialPageParam: firstCursor,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** The org's service tokens; only for admins. */
export const tokensQuery = () =>
  queryOptions({ queryKey: ["service-tokens"], queryFn: () => unwrap(api.GET("/v1/service-tokens")) });

function pageAt(cursor: string | null) {
  return { limit: PAGE, ...(cursor === null ? {} : { cursor }) };
}

/** All prices, the org's own and the built-in ones. */
export const pricesQuery = () =>
  queryOptions({ queryKey: ["prices"], queryFn: () => unwrap(api.GET("/v1/prices")) });
