import { infiniteQueryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";

export type AuditEntry = Wire<"AuditEntry">;

const PAGE = 50;

/** All changes, newest first; of one target when its id is given. */
export function auditQuery(targetId: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ["audit", targetId ?? null],
    queryFn: ({ pageParam }) => unwrap(api.GET("/v1/audit", { params: { query: queryOf(pageParam) } })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

  function queryOf(cursor: string | null) {
    return {
      limit: PAGE,
      ...(targetId === undefined ? {} : { target_id: targetId }),
      ...(cursor === null ? {} : { cursor }),
    };
  }
}
