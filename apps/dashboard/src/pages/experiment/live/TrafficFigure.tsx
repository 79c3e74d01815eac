import { useCallback } from "react";
import { ArmLabel } from "../../../charts/ArmLabel.tsx";
import { PlotFigure } from "../../../charts/PlotFigure.tsx";
import { count } from "../../../format/numbers.ts";
import { type Column, Table } from "../../../ui/Table.tsx";
import { type TrafficPoint, trafficPlot, type VersionMark } from "./traffic-plot.ts";

interface TrafficFigureProps {
  readonly title: string;
  readonly summary: string;
  /** Keep these, the colors, the domain and the marks stable between renders, or the chart is redrawn. */
  readonly points: readonly TrafficPoint[];
  readonly colors: ReadonlyMap<string, string>;
  readonly interval: "day" | "minute";
  readonly domain?: readonly [Date, Date];
  readonly marks: readonly VersionMark[];
  /** Formats a point's time in the table. */
  readonly writeTime: (at: Date) => string;
}

/** Exposures over time, stacked by variant, with their numbers. */
export function TrafficFigure(props: TrafficFigureProps) {
  const { title, summary, points, colors, interval, domain, marks, writeTime } = props;
  const draw = useCallback(
    (plot: typeof import("@observablehq/plot"), width: number) =>
      trafficPlot(plot, { points, colors, interval, domain, marks, width }),
    [points, colors, interval, domain, marks],
  );
  const arms: readonly Column<TrafficPoint>[] = [...colors.keys()].map((arm) => ({
    key: arm,
    title: arm,
    isNumeric: true,
    cell: ({ exposures }) => count(exposures[arm] ?? 0),
  }));
  return (
    <PlotFigure
      title={title}
      summary={summary}
      draw={draw}
      legend={
        <div className="legend">
          {[...colors].map(([arm, color]) => (
            <ArmLabel key={arm} name={arm} color={color} />
          ))}
          {marks.length > 0 ? <span className="muted">v2, v3 …: a new version took effect</span> : null}
        </div>
      }
      table={
        <Table
          caption={title}
          isCaptionHidden
          rows={points.toReversed()}
          rowKey={({ at }) => at.toISOString()}
          columns={[
            {
              key: "at",
              title: interval === "day" ? "Day" : "Minute (UTC)",
              cell: ({ at }) => writeTime(at),
            },
            ...arms,
          ]}
        />
      }
    />
  );
}
