import type { PlotOptions } from "@observablehq/plot";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { queries } from "../../../../api/queries.ts";
import type { Wire } from "../../../../api/types.ts";
import { PlotFigure } from "../../../../charts/PlotFigure.tsx";
import { count, counted, interval, percent, signed, signedPercent } from "../../../../format/numbers.ts";
import { day } from "../../../../format/times.ts";
import { UNIT_TITLES, type Unit } from "../../../../format/unit-words.ts";
import { Loaded } from "../../../../ui/Loaded.tsx";
import { Table } from "../../../../ui/Table.tsx";
import { type EffectPoint, type EffectSeries, effectSeries } from "./effect-series.ts";

interface EffectOverTimeProps {
  readonly experimentId: string;
  /** "<metric>::<treatment>". */
  readonly comparison: string;
  readonly color: string;
  /** Formats a difference in the metric's unit. */
  readonly difference: (value: number) => string;
  readonly unit: Unit;
}

/** The effect with its intervals, by night. */
export function EffectOverTime({ experimentId, ...props }: EffectOverTimeProps) {
  const history = useQuery(queries.resultsHistory(experimentId));
  return <Loaded query={history}>{(data) => <Series history={data} {...props} />}</Loaded>;
}

interface SeriesProps extends Omit<EffectOverTimeProps, "experimentId"> {
  readonly history: Wire<"ResultsHistory">;
}

function Series({ history, comparison, color, difference, unit }: SeriesProps) {
  const series = useMemo(() => effectSeries(history, comparison), [history, comparison]);
  const draw = useCallback(
    (plot: typeof import("@observablehq/plot"), width: number) => chart(plot, width, { series, color }),
    [series, color],
  );
  const { points, isRelative, withheld } = series;
  if (points.length === 0) {
    return (
      <p className="muted">No nightly run has this comparison yet. The chart starts with the first one.</p>
    );
  }
  const write = isRelative ? signedPercent : (value: number) => signed(value, difference);
  const last = points.at(-1);
  return (
    <>
      <PlotFigure
        title="Effect by night"
        summary={`The effect over ${counted(points.length, "night")}, with its 95% CI and always-valid interval. Last night: ${last ? write(last.effect) : ""}.`}
        draw={draw}
        table={<SeriesTable points={points} write={write} unit={unit} />}
      />
      <p className="muted">
        Each night includes all {UNIT_TITLES[unit].toLowerCase()} so far. Ribbon: 95% CI. Pale band:
        always-valid interval. Dotted: the experiment or the metric changed in between.
        {points.length === 1 ? " Only one night so far." : ""}
        {withheld.length > 0 ? ` Withheld by Data health: ${withheld.map(day).join(", ")}.` : ""}
      </p>
    </>
  );
}

interface Drawing {
  readonly series: EffectSeries;
  readonly color: string;
}

function chart(
  plot: typeof import("@observablehq/plot"),
  width: number,
  { series: { points, joints, isRelative }, color }: Drawing,
): PlotOptions {
  const band = { x: "at", z: "segment", fill: color, curve: "monotone-x" } as const;
  const changes = joints.map(([, next]) => next);
  return {
    width,
    height: 240,
    marginLeft: 56,
    marginTop: 24,
    marginRight: 28,
    x: {
      type: "utc",
      label: null,
      ticks: Math.min(points.length, Math.floor(width / 80)),
      tickFormat: "%-d %b",
    },
    y: {
      label: null,
      grid: true,
      ...(isRelative ? { tickFormat: (value: number) => percent(value) } : {}),
    },
    marks: [
      plot.areaY(points, { ...band, y1: "seqLow", y2: "seqHigh", fillOpacity: 0.14 }),
      plot.areaY(points, { ...band, y1: "low", y2: "high", fillOpacity: 0.3 }),
      plot.ruleX(points, { x: "at", y1: "low", y2: "high", stroke: color, strokeOpacity: 0.6 }),
      plot.ruleY([0], { stroke: "var(--muted)" }),
      plot.lineY(points, { x: "at", y: "effect", z: "segment", stroke: color, strokeWidth: 2 }),
      plot.link(joints, {
        x1: ([from]: readonly [EffectPoint, EffectPoint]) => from.at,
        y1: ([from]: readonly [EffectPoint, EffectPoint]) => from.effect,
        x2: ([, to]: readonly [EffectPoint, EffectPoint]) => to.at,
        y2: ([, to]: readonly [EffectPoint, EffectPoint]) => to.effect,
        stroke: color,
        strokeDasharray: "2 4",
      }),
      plot.dot(points, { x: "at", y: "effect", fill: color, r: 3 }),
      plot.ruleX(changes, { x: "at", stroke: "var(--muted)", strokeDasharray: "4 3" }),
      plot.text(changes, {
        x: "at",
        frameAnchor: "top",
        dy: -14,
        text: ({ version }: EffectPoint) => `version ${version}`,
        fill: "var(--muted)",
      }),
    ],
  };
}

function SeriesTable({
  points,
  write,
  unit,
}: {
  readonly unit: Unit;
  readonly points: readonly EffectPoint[];
  readonly write: (value: number) => string;
}) {
  return (
    <Table
      caption="Effect after each night"
      rows={points.toReversed()}
      rowKey={(point) => point.day}
      columns={[
        { key: "day", title: "Night of", cell: (point) => day(point.day) },
        { key: "effect", title: "Effect", isNumeric: true, cell: ({ effect }) => write(effect) },
        {
          key: "interval",
          title: "95% CI",
          isNumeric: true,
          cell: ({ low, high }) => interval(low, high, write) ?? "none",
        },
        {
          key: "always",
          title: "Always valid",
          isNumeric: true,
          cell: ({ seqLow, seqHigh }) => interval(seqLow, seqHigh, write) ?? "none",
        },
        { key: "users", title: UNIT_TITLES[unit], isNumeric: true, cell: ({ users }) => count(users) },
        { key: "version", title: "Version", isNumeric: true, cell: ({ version }) => version },
      ]}
    />
  );
}
