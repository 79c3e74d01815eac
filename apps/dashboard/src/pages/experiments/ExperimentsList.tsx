import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useDeferredValue, useMemo } from "react";
import type { ExperimentOverview } from "../../api/types.ts";
import { count, counted } from "../../format/numbers.ts";
import { Button } from "../../ui/Button.tsx";
import { download } from "../../ui/download.ts";
import { Empty } from "../../ui/Page.tsx";
import { ExperimentsTable } from "./ExperimentsTable.tsx";
import { listCsv } from "./list-csv.ts";
import { isNarrowed, type ListFilter, listed, sortAfterPress } from "./list-filter.ts";

/** The filters are a tenth of the page's script, so they load after the list. */
const ListFilters = lazy(() =>
  import("./ListFilters.tsx").then(({ ListFilters: component }) => ({ default: component })),
);

/** Below this number, no filters are shown. */
const FILTERED_FROM = 4;

/** The experiments that match the filters in the URL. */
export function ExperimentsList({ items }: { readonly items: readonly ExperimentOverview[] }) {
  const filter: ListFilter = useSearch({ from: "/shell/" });
  const navigate = useNavigate({ from: "/" });
  const narrowTo = (changed: ListFilter) =>
    navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
  const reset = () =>
    navigate({
      search: ({ archived, sort }: ListFilter) => ({ archived, sort }),
      replace: true,
      resetScroll: false,
    });
  // Keeps typing fast while a long list updates.
  const shown = useDeferredValue(filter);
  const rows = useMemo(() => listed(items, shown), [items, shown]);
  return (
    <section className="experiments" aria-label="All experiments">
      {items.length >= FILTERED_FROM || isNarrowed(filter) ? (
        <Suspense fallback={<div className="list-filters-place" />}>
          <ListFilters items={items} filter={filter} onChange={narrowTo} />
        </Suspense>
      ) : null}
      <div className="row experiments-count">
        <p role="status">{summary(items.length, rows)}</p>
        {rows.length === 0 ? null : (
          <Button look="quiet" onPress={() => download("experiments.csv", "text/csv", listCsv(rows))}>
            CSV
          </Button>
        )}
        {isNarrowed(filter) ? (
          <Button look="quiet" onPress={reset}>
            Reset the filters
          </Button>
        ) : null}
      </div>
      {rows.length > 0 ? (
        <ExperimentsTable
          items={rows}
          filter={shown}
          onSort={(column) => narrowTo({ sort: sortAfterPress(filter, column) })}
        />
      ) : (
        <Empty title="No experiments match." actions={<Button onPress={reset}>Show all experiments</Button>}>
          <p>Try fewer words, or another state.</p>
        </Empty>
      )}
    </section>
  );
}

function summary(all: number, rows: readonly ExperimentOverview[]): string {
  const waiting = rows.filter(({ needs_attention }) => needs_attention).length;
  const shown =
    rows.length === all
      ? counted(all, "experiment")
      : `${count(rows.length)} of ${counted(all, "experiment")}`;
  return waiting === 0 ? shown : `${shown} · ${count(waiting)} ${waiting === 1 ? "needs" : "need"} attention`;
}
