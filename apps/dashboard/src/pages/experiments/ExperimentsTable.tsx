import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import type { ExperimentOverview } from "../../api/types.ts";
import type { IntervalScale } from "../../charts/IntervalBar.tsx";
import { percent } from "../../format/numbers.ts";
import { ExperimentRow } from "./ExperimentRow.tsx";
import { type ListFilter, type SortColumn, sortOf } from "./list-filter.ts";
import { sharedScale } from "./row-words.ts";
import { useRowKeys } from "./use-row-keys.ts";
import "../../ui/table.css";

/** Estimated row heights in pixels, before measuring. */
const ROW_HEIGHT = 44;
const CARD_HEIGHT = 200;
const CARDS_BELOW = 900;
/** Rows rendered outside the view, so that Tab always finds the next one. */
const OVERSCAN = 6;

interface ExperimentsTableProps {
  readonly items: readonly ExperimentOverview[];
  readonly filter: ListFilter;
  readonly onSort: (column: SortColumn) => void;
}

/** A virtual table: only the rows in view are in the document. */
export function ExperimentsTable({ items, filter, onSort }: ExperimentsTableProps) {
  const table = useRef<HTMLTableElement>(null);
  const start = useRef<HTMLTableSectionElement>(null);
  const scale = useMemo(() => sharedScale(items), [items]);
  const { rows, before, after, measure } = useRowsInView(items, start);
  useRowKeys(table, items.length);
  return (
    <table
      ref={table}
      className="experiments-table"
      aria-label="Experiments"
      aria-rowcount={items.length + 1}
    >
      <Head scale={scale} filter={filter} onSort={onSort} />
      <Gap height={before} place={start} />
      <tbody>
        {rows.map(({ index, item }) => (
          <ExperimentRow key={item.id} item={item} index={index} scale={scale} measure={measure} />
        ))}
      </tbody>
      <Gap height={after} />
    </table>
  );
}

function useRowsInView(
  items: readonly ExperimentOverview[],
  start: React.RefObject<HTMLTableSectionElement | null>,
) {
  const top = useTop(start, items);
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => (window.innerWidth < CARDS_BELOW ? CARD_HEIGHT : ROW_HEIGHT),
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: OVERSCAN,
    scrollMargin: top,
  });
  const inView = virtualizer.getVirtualItems();
  const first = inView[0];
  const last = inView.at(-1);
  return {
    rows: inView.flatMap(({ index }) => {
      const item = items[index];
      return item === undefined ? [] : [{ index, item }];
    }),
    before: first === undefined ? 0 : first.start - top,
    after: last === undefined ? 0 : virtualizer.getTotalSize() - (last.end - top),
    measure: virtualizer.measureElement,
  };
}

/** The offset of the rows from the top of the page, which depends on the content above and the width. */
function useTop(start: React.RefObject<HTMLElement | null>, items: readonly ExperimentOverview[]): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const read = () => setTop(Math.round((start.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
    // An empty list has no rows.
    if (items.length > 0) read();
    window.addEventListener("resize", read);
    return () => window.removeEventListener("resize", read);
  }, [start, items]);
  return top;
}

/** Fills the space of rows that are not in the document. */
function Gap({
  height,
  place,
}: {
  readonly height: number;
  readonly place?: React.RefObject<HTMLTableSectionElement | null>;
}) {
  return (
    <tbody ref={place} className="experiments-gap" aria-hidden="true">
      <tr>
        {/* Narrow screens hide columns, and a cell over more than there are would make others. */}
        <td colSpan={5} style={{ height }} />
      </tr>
    </tbody>
  );
}

const COLUMNS: readonly {
  readonly column: SortColumn | null;
  readonly title: string;
  readonly className: string;
}[] = [
  { column: "name", title: "Experiment", className: "col-name" },
  { column: "state", title: "State", className: "col-state" },
  { column: null, title: "Split", className: "col-split" },
  { column: "primary", title: "Primary metric", className: "col-primary" },
  { column: "progress", title: "Progress", className: "col-progress" },
  { column: "users", title: "Users", className: "col-users numeric" },
  { column: "health", title: "Health", className: "col-health" },
  { column: "analyzed", title: "Analyzed", className: "col-analyzed" },
];

type HeadProps = Pick<ExperimentsTableProps, "filter" | "onSort"> & { readonly scale: IntervalScale };

/** The column headers; a press sorts. */
function Head({ scale, filter, onSort }: HeadProps) {
  const sort = sortOf(filter);
  return (
    <thead>
      <tr aria-rowindex={1}>
        {COLUMNS.map(({ column, title, className }) => {
          const direction = column === null || sort?.column !== column ? null : sort.direction;
          return (
            <th
              key={className}
              scope="col"
              className={className}
              {...(column === null ? {} : { "aria-sort": SORT_WORDS[direction ?? 0] })}
              {...(column === "primary"
                ? {
                    title: `Change vs control with its 95% CI, from ${percent(scale.min, 2)} to +${percent(scale.max, 2)}`,
                  }
                : {})}
            >
              {column === null ? (
                title
              ) : (
                <button type="button" className="sort-button" onClick={() => onSort(column)}>
                  {title}
                  <span aria-hidden="true">{direction === null ? "" : direction === 1 ? " ▲" : " ▼"}</span>
                </button>
              )}
            </th>
          );
        })}
        <th scope="col" className="col-next">
          Next
        </th>
      </tr>
    </thead>
  );
}

const SORT_WORDS = { "-1": "descending", "0": "none", "1": "ascending" } as const;
