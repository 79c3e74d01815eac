import { infiniteQueryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";

export type AuditEntry = Wire<"AuditEntry">;

const PAGE = 50;

/** All changes, newest first; of one target when its id is given. */
export function auditQuery(targetId: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ["audit", targetId ?? null],
    queryFn: ({ pageParam }) => readAudit(targetId, { limit: PAGE, cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** Reads a page of audit entries, newest first; only those of a target when its id is given. */
export function readAudit(
  targetId: string | undefined,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | null },
) {
  const query = {
    limit,
    ...(targetId === undefined ? {} : { target_id: targetId }),
    ...(cursor === null ? {} : { cursor }),
  };
  return unwrap(api.GET("/v1/audit", { params: { query } }));
}
