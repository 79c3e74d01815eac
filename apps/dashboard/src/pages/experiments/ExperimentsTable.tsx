import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import type { ExperimentOverview } from "../../api/types.ts";
import type { IntervalScale } from "../../charts/IntervalBar.tsx";
import { percent } from "../../format/numbers.ts";
import { ExperimentRow } from "./ExperimentRow.tsx";
import { sharedScale } from "./row-words.ts";
import "../../ui/table.css";

/** Estimated row heights in pixels, before measuring. */
const ROW_HEIGHT = 84;
const CARD_HEIGHT = 330;
const CARDS_BELOW = 900;
/** Rows rendered outside the view, so that Tab always finds the next one. */
const OVERSCAN = 6;

/** A virtual table: only the rows in view are in the document. */
export function ExperimentsTable({ items }: { readonly items: readonly ExperimentOverview[] }) {
  const start = useRef<HTMLTableSectionElement>(null);
  const scale = useMemo(() => sharedScale(items), [items]);
  const { rows, before, after, measure } = useRowsInView(items, start);
  return (
    <table className="experiments-table" aria-label="Experiments" aria-rowcount={items.length + 1}>
      <Head scale={scale} />
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
        <td colSpan={8} style={{ height }} />
      </tr>
    </tbody>
  );
}

function Head({ scale }: { readonly scale: IntervalScale }) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col">Experiment</th>
        <th scope="col">State</th>
        <th scope="col">Observed split</th>
        <th scope="col" title="Change vs control with its 95% CI; zero in the middle">
          Primary metric
          <span className="experiments-axis" aria-hidden="true">
            <span>{percent(scale.min, 2)}</span>
            <span>0</span>
            <span>+{percent(scale.max, 2)}</span>
          </span>
        </th>
        <th scope="col">Progress</th>
        <th scope="col" className="numeric">
          Users
        </th>
        <th scope="col">Health</th>
        <th scope="col">Last analyzed</th>
      </tr>
    </thead>
  );
}
