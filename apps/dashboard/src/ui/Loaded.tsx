import type { UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "./Button.tsx";
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

interface MoreButtonProps {
  readonly query: Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;
  readonly children: ReactNode;
}

/** Loads the next page of a list; nothing after the last page. */
export function MoreButton({ query, children }: MoreButtonProps) {
  if (!query.hasNextPage) return null;
  return (
    <Button onPress={() => query.fetchNextPage()} isPending={query.isFetchingNextPage}>
      {children}
    </Button>
  );
}
