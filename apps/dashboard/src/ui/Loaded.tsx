import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ProblemNotice } from "./Notice.tsx";
import { Skeleton } from "./Page.tsx";

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
  readonly lines?: number;
}

/** Shows a query: a skeleton, its problem with a retry, or the data. Old data stays when a refresh fails. */
export function Loaded<T>({ query, children, lines = 4 }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ProblemNotice problem={query.error} onRetry={() => query.refetch()} />;
  return <Skeleton lines={lines} />;
}
