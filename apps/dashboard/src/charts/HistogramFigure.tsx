import { useCallback, useMemo } from "react";
import type { Distribution } from "../api/types.ts";
import { isolated } from "../format/isolated.ts";
import { count, percent, sum } from "../format/numbers.ts";
import { Table } from "../ui/Table.tsx";
import { ArmLabel } from "./ArmLabel.tsx";
import { isBinary } from "./histogram.ts";
import { type HistogramArm, histogramPlot, quantilesOf, type WriteValue } from "./histogram-plot.ts";
import { PlotFigure } from "./PlotFigure.tsx";

interface HistogramFigureProps {
  readonly title: string;
  /** By arm, over edges that all arms share. */
  readonly distributions: Readonly<Record<string, Distribution>>;
  /** Colors of the arms to show, control first. Keep it stable between renders. */
  readonly colors: ReadonlyMap<string, string>;
  readonly write: WriteValue;
}

/** The distribution of a metric's values in each arm, overlaid on shared bins. */
export function HistogramFigure({ title, distributions, colors, write }: HistogramFigureProps) {
  const arms = useMemo(() => armsOf(distributions, colors), [distributions, colors]);
  const draw = useCallback(
    (plot: typeof import("@observablehq/plot"), width: number) => histogramPlot(plot, width, { arms, write }),
    [arms, write],
  );
  if (arms.length === 0) return <p className="muted">{title}: no values yet.</p>;
  const quantiles = quantilesOf(arms);
  const sizes = arms.map(({ key, distribution }) => `${key} ${count(totalOf(distribution))} values`);
  const about = quantiles.map(({ key, name, value }) => `${key} ${name} about ${write(value)}`);
  return (
    <PlotFigure
      title={title}
      summary={`${title}: ${[...sizes, ...about].join(", ")}.`}
      draw={draw}
      legend={
        <div className="legend">
          {arms.map(({ key, color, distribution }) => (
            <ArmLabel key={key} name={`${isolated(key)}: ${count(totalOf(distribution))}`} color={color} />
          ))}
          {quantiles.map(({ key, name, value }) => (
            <span key={`${key} ${name}`} className="muted">
              {key} {name} ≈ {write(value)}
            </span>
          ))}
        </div>
      }
      table={<BinTable title={title} arms={arms} write={write} />}
    />
  );
}

function armsOf(
  distributions: HistogramFigureProps["distributions"],
  colors: ReadonlyMap<string, string>,
): readonly HistogramArm[] {
  return [...colors].flatMap(([key, color]) => {
    const distribution = distributions[key];
    return distribution === undefined || totalOf(distribution) === 0 ? [] : [{ key, color, distribution }];
  });
}

function totalOf({ counts }: Distribution): number {
  return sum(counts);
}

interface BinTableProps {
  readonly title: string;
  readonly arms: readonly HistogramArm[];
  readonly write: WriteValue;
}

function BinTable({ title, arms, write }: BinTableProps) {
  const distribution = arms[0]?.distribution ?? { bin_edges: [], counts: [] };
  const { bin_edges: edges, counts } = distribution;
  return (
    <Table
      caption={`${title}: values per bin`}
      isCaptionHidden
      rows={counts.map((_, bin) => bin)}
      rowKey={String}
      columns={[
        {
          key: "bin",
          title: "Range",
          cell: (bin) =>
            isBinary(distribution)
              ? ["without", "with"][bin]
              : `${write(edges[bin] ?? 0)} – ${write(edges[bin + 1] ?? 0)}`,
        },
        ...arms.map((arm) => ({
          key: arm.key,
          title: arm.key,
          isNumeric: true,
          cell: (bin: number) => {
            const value = arm.distribution.counts[bin] ?? 0;
            return `${count(value)} (${percent(value / totalOf(arm.distribution), 2)})`;
          },
        })),
      ]}
    />
  );
}
