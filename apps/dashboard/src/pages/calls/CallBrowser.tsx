import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { queries } from "../../api/queries.ts";
import type { Experiment } from "../../api/types.ts";
import { useArmColors } from "../../charts/arms.ts";
import { isJudged } from "../../format/metric-words.ts";
import { count, counted } from "../../format/numbers.ts";
import { Button } from "../../ui/Button.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { type ListedKeys, useListedKeys } from "../../ui/listed-keys.ts";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Skeleton } from "../../ui/Page.tsx";
import { CallFilters } from "./CallFilters.tsx";
import { CallPanel } from "./CallPanel.tsx";
import { CallTable } from "./CallTable.tsx";
import { type CallSearch, isFiltered, orderOf } from "./call-search.ts";
import { NoCalls } from "./NoCalls.tsx";
import { callsQuery } from "./queries.ts";
import "./calls.css";

const KEYS: ListedKeys = {
  title: "In an open call",
  rows: [
    ["J", "Next call"],
    ["K", "Previous call"],
    ["0 to 9", "Your label, where the buttons show the key"],
  ],
};

interface CallBrowserProps {
  readonly experimentId: string;
  /** The search part of the URL. */
  readonly search: CallSearch;
  /** Changes the URL; `push` adds a history entry. */
  readonly onSearch: (change: CallSearch, how: "push" | "replace") => void;
}

/** An experiment's model calls: filters, a table of any length, and the open call next to it. */
export function CallBrowser({ experimentId, search, onSearch }: CallBrowserProps) {
  const experiment = useQuery(queries.experiment(experimentId));
  return (
    <Loaded query={experiment}>
      {(data) => <Calls experiment={data} search={search} onSearch={onSearch} />}
    </Loaded>
  );
}

type CallsProps = Omit<CallBrowserProps, "experimentId"> & { readonly experiment: Experiment };

function Calls({ experiment, search, onSearch }: CallsProps) {
  useListedKeys(KEYS);
  const query = useInfiniteQuery(callsQuery(experiment.id, search));
  const calls = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  const colors = useArmColors(experiment);
  const loadMore = () => {
    if (query.hasNextPage && !query.isFetchingNextPage && !query.isError) query.fetchNextPage();
  };
  const open = (call: string | undefined, how: "push" | "replace") => onSearch({ call }, how);
  return (
    <section className="calls" aria-label="Model calls">
      <CallFilters experiment={experiment} search={search} onSearch={onSearch} />
      {query.data === undefined && query.error === null ? <Skeleton lines={10} /> : null}
      {query.error ? (
        <ProblemNotice
          problem={query.error}
          onRetry={() => (query.data === undefined ? query.refetch() : query.fetchNextPage())}
        />
      ) : null}
      {query.data === undefined ? null : calls.length === 0 ? (
        <NoCalls experiment={experiment} search={search} onSearch={onSearch} />
      ) : (
        <>
          <CallTable
            calls={calls}
            isWhole={!query.hasNextPage}
            colors={colors}
            isJudged={experiment.metrics.some(isJudged)}
            order={orderOf(search)}
            onOrder={(change) => onSearch(change, "replace")}
            openId={search.call ?? null}
            onOpen={(call) => open(call, "push")}
            onNearEnd={loadMore}
          />
          <Footer
            loaded={calls.length}
            isWhole={!query.hasNextPage}
            isFiltered={isFiltered(search)}
            experimentId={experiment.id}
          />
        </>
      )}
      <CallPanel
        experiment={experiment}
        eventId={search.call ?? null}
        calls={calls}
        colors={colors}
        onMove={(call) => open(call, "replace")}
        onClose={() => open(undefined, "replace")}
        onNearEnd={loadMore}
        onFilterUser={(user) => onSearch({ user, call: undefined }, "push")}
      />
    </section>
  );
}

interface FooterProps {
  readonly loaded: number;
  readonly isWhole: boolean;
  readonly isFiltered: boolean;
  readonly experimentId: string;
}

function Footer({ loaded, isWhole, isFiltered, experimentId }: FooterProps) {
  const cache = useQueryClient();
  const what = isFiltered ? "calls that match" : "calls";
  return (
    <div className="row calls-footer">
      <p className="muted" role="status">
        {isWhole
          ? `All ${counted(loaded, "call")}${isFiltered ? " that match" : ""}.`
          : `${count(loaded)} ${what} loaded. Scroll to load more.`}
      </p>
      <Button onPress={() => cache.resetQueries({ queryKey: ["experiment", experimentId, "calls"] })}>
        Load newer calls
      </Button>
    </div>
  );
}
