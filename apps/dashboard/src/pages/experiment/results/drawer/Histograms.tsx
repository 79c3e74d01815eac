import type { PlotOptions } from "@observablehq/plot";
import { useCallback, useMemo } from "react";
import type { Distribution, MetricResult } from "../../../../api/types.ts";
import { ArmLabel } from "../../../../charts/ArmLabel.tsx";
import { PlotFigure } from "../../../../charts/PlotFigure.tsx";
import { count, number, percent } from "../../../../format/numbers.ts";
import { Table } from "../../../../ui/Table.tsx";
import { type BinScale, barsOf, binScale, isBinary, logTicks, outlineOf, quantileOf } from "./histogram.ts";

interface HistogramsProps {
  readonly row: MetricResult;
  readonly colors: ReadonlyMap<string, string>;
  /** Writes a value in the metric's unit. */
  readonly write: (value: number) => string;
}

interface Arm {
  readonly key: string;
  readonly color: string;
  readonly distribution: Distribution;
}

/** How the values of control and treatment are spread, over the same bins: control filled, treatment as a line. */
export function Histograms({ row, colors, write }: HistogramsProps) {
  const arms = useMemo(() => armsOfRow(row, colors), [row, colors]);
  const draw = useCallback(
    (plot: typeof import("@observablehq/plot"), width: number) => chart(plot, width, { arms, write }),
    [arms, write],
  );
  const [control] = arms;
  if (control === undefined || control.distribution.counts.length === 0)
    return <p className="muted">This run kept no values to spread: the metric has none.</p>;
  const quantiles = quantilesOf(arms);
  const summary = isBinary(control.distribution)
    ? "Shares of users without and with the outcome, by variant."
    : `Shares of the values by size, by variant. ${quantiles.map(({ key, name, value }) => `${key} ${name} about ${write(value)}`).join(", ")}.`;
  return (
    <PlotFigure
      title="How the values are spread"
      summary={summary}
      draw={draw}
      legend={
        <div className="legend">
          {arms.map(({ key, color }) => (
            <ArmLabel key={key} name={key} color={color} />
          ))}
          {quantiles.map(({ key, name, value }) => (
            <span key={`${key} ${name}`} className="muted">
              {key} {name} ≈ {write(value)}
            </span>
          ))}
        </div>
      }
      table={<BinTable arms={arms} write={write} />}
    />
  );
}

function armsOfRow(row: MetricResult, colors: ReadonlyMap<string, string>): readonly Arm[] {
  return [row.control, row.treatment].flatMap((key) => {
    const distribution = row.distribution[key];
    return distribution === undefined
      ? []
      : [{ key, color: colors.get(key) ?? "var(--muted)", distribution }];
  });
}

const QUANTILES = [
  { name: "p50", share: 0.5 },
  { name: "p95", share: 0.95 },
] as const;

function quantilesOf(arms: readonly Arm[]) {
  return arms.flatMap(({ key, color, distribution }) =>
    isBinary(distribution)
      ? []
      : QUANTILES.flatMap(({ name, share }) => {
          const found = quantileOf(distribution, share, binScale(distribution));
          return found === null ? [] : [{ key, color, name, ...found }];
        }),
  );
}

interface Drawing {
  readonly arms: readonly Arm[];
  readonly write: (value: number) => string;
}

function chart(
  plot: typeof import("@observablehq/plot"),
  width: number,
  { arms, write }: Drawing,
): PlotOptions {
  const [control, ...treatments] = arms;
  if (control === undefined) return {};
  const scale = binScale(control.distribution);
  const ticks = quantilesOf(arms);
  return {
    width,
    height: 240,
    marginLeft: 48,
    marginTop: 36,
    x: { label: null, ...xAxis(control.distribution, scale, { width, write }) },
    y: { label: null, grid: true, percent: true, tickFormat: (value: number) => `${value} %` },
    marks: [
      plot.rectY(barsOf(control.distribution, scale), {
        x1: "from",
        x2: "to",
        y: "share",
        fill: control.color,
        fillOpacity: 0.4,
        insetLeft: 0,
        insetRight: 0,
      }),
      ...treatments.map(({ color, distribution }) =>
        plot.line(outlineOf(barsOf(distribution, scale)), {
          x: "x",
          y: "share",
          stroke: color,
          strokeWidth: 2,
        }),
      ),
      plot.ruleY([0], { stroke: "var(--muted)" }),
      plot.ruleX(ticks, { x: "x", stroke: "color", strokeDasharray: "4 3" }),
      ...arms.map(({ key }, line) =>
        plot.text(
          ticks.filter((tick) => tick.key === key),
          { x: "x", text: "name", fill: "color", frameAnchor: "top", dy: line === 0 ? -26 : -14 },
        ),
      ),
    ],
  };
}

function xAxis(
  { bin_edges: edges }: Distribution,
  scale: BinScale,
  { width, write }: { readonly width: number; readonly write: (value: number) => string },
) {
  if (edges.length === 3 && edges[0] === -0.5)
    return { domain: [0, 2], ticks: [0.5, 1.5], tickFormat: (x: number) => (x < 1 ? "without" : "with") };
  if (scale === "log")
    return { type: "log" as const, ticks: logTicks(edges, width / 100), tickFormat: write };
  const every = Math.max(1, Math.ceil(edges.length / (width / 70)));
  const ticks = edges.flatMap((_, index) => (index % every === 0 ? [index] : []));
  return { ticks, tickFormat: (index: number) => number(edges[index] ?? 0) };
}

function BinTable({ arms, write }: Drawing) {
  const [control] = arms;
  if (control === undefined) return null;
  const { bin_edges: edges } = control.distribution;
  const bins = control.distribution.counts.map((_, bin) => bin);
  const total = (arm: Arm) => arm.distribution.counts.reduce((sum, value) => sum + value, 0) || 1;
  return (
    <Table
      caption="Number of values by size"
      rows={bins}
      rowKey={String}
      columns={[
        {
          key: "bin",
          title: "From, to",
          cell: (bin) =>
            isBinary(control.distribution)
              ? ["without", "with"][bin]
              : `${write(edges[bin] ?? 0)} – ${write(edges[bin + 1] ?? 0)}`,
        },
        ...arms.map((arm) => ({
          key: arm.key,
          title: arm.key,
          isNumeric: true,
          cell: (bin: number) => {
            const value = arm.distribution.counts[bin] ?? 0;
            return `${count(value)} (${percent(value / total(arm), 2)})`;
          },
        })),
      ]}
    />
  );
}
