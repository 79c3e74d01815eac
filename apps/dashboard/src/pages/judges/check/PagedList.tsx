import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { MoreButton } from "../../../ui/Loaded.tsx";
import { ProblemNotice } from "../../../ui/Notice.tsx";
import { Skeleton } from "../../../ui/Page.tsx";

interface PagedListProps<Item> {
  readonly query: UseInfiniteQueryResult<InfiniteData<{ readonly items: readonly Item[] }>>;
  readonly itemKey: (item: Item) => string;
  /** Shown instead of an empty list. */
  readonly empty: string;
  /** Label of the button that loads the next page. */
  readonly more: string;
  readonly children: (item: Item) => ReactNode;
}

/** A list that loads page by page, on request. */
export function PagedList<Item>({ query, itemKey, empty, more, children }: PagedListProps<Item>) {
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {query.data === undefined && query.error === null ? <Skeleton lines={3} /> : null}
      {query.error === null ? null : (
        <ProblemNotice
          problem={query.error}
          onRetry={() => (query.data === undefined ? query.refetch() : query.fetchNextPage())}
        />
      )}
      {query.data !== undefined && items.length === 0 ? <p className="muted">{empty}</p> : null}
      <ul className="check-list">
        {items.map((item) => (
          <li key={itemKey(item)}>{children(item)}</li>
        ))}
      </ul>
      <MoreButton query={query}>{more}</MoreButton>
    </>
  );
}
