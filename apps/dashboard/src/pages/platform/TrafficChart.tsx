import type * as PlotModule from "@observablehq/plot";
import { useCallback } from "react";
import type { Wire } from "../../api/types.ts";
import { PlotFigure } from "../../charts/PlotFigure.tsx";
import { count } from "../../format/numbers.ts";
import { day } from "../../format/times.ts";
import { Table } from "../../ui/Table.tsx";

type Traffic = Wire<"AdminOverview">["traffic"];

/** Events of all orgs by UTC day of receipt. */
export function TrafficChart({ traffic }: { readonly traffic: Traffic }) {
  const draw = useCallback(
    (plot: typeof PlotModule, width: number) => ({
      width,
      height: 200,
      marginLeft: 56,
      x: { type: "band" as const, label: null, tickFormat: dayLabel(traffic.length, width) },
      y: { label: "events", grid: true, tickFormat: "~s" },
      marks: [
        plot.barY(traffic, { x: "day", y: "events", fill: "var(--arm-0)", title: titleOf }),
        plot.ruleY([0], { stroke: "var(--line)" }),
      ],
    }),
    [traffic],
  );
  const total = traffic.reduce((sum, { events }) => sum + events, 0);
  if (total === 0) return <p className="muted">No events in the last 30 days.</p>;
  return (
    <PlotFigure
      title="Events per day, last 30 days, UTC"
      summary={`${count(total)} events in 30 days, one bar per day.`}
      draw={draw}
      table={
        <Table
          caption="Events per UTC day"
          rows={traffic}
          rowKey={(row) => row.day}
          columns={[
            { key: "day", title: "Day", cell: (row) => day(row.day) },
            { key: "events", title: "Events", isNumeric: true, cell: ({ events }) => count(events) },
          ]}
        />
      }
    />
  );
}

const titleOf = (row: Traffic[number]) => `${day(row.day)}: ${count(row.events)} events`;

const PIXELS_PER_LABEL = 60;

/** Labels as many days as fit. */
function dayLabel(days: number, width: number) {
  const every = Math.max(1, Math.ceil((days * PIXELS_PER_LABEL) / Math.max(width, 1)));
  return (value: string, index: number) => (index % every === 0 ? value.slice(5) : "");
}
