import { useCallback, useMemo } from "react";
import type { MetricDefinition } from "../api/types.ts";
import { unitOf } from "../format/metric-units.ts";
import { count, number } from "../format/numbers.ts";
import { Table } from "../ui/Table.tsx";
import { ArmLabel } from "./ArmLabel.tsx";
import { type Distributions, histogramBars, histogramPlot } from "./histogram.ts";
import { PlotFigure } from "./PlotFigure.tsx";

interface HistogramFigureProps {
  readonly title: string;
  readonly metric: MetricDefinition | undefined;
  readonly distributions: Distributions;
  /** Colours by arm, in the order the arms are drawn. */
  readonly colors: ReadonlyMap<string, string>;
}

/** How a metric's values are spread in each arm, laid over each other on shared bins. */
export function HistogramFigure({ title, metric, distributions, colors }: HistogramFigureProps) {
  const arms = useMemo(
    () => [...colors.keys()].filter((arm) => distributions[arm] !== undefined),
    [colors, distributions],
  );
  const binNames = metric?.kind === "binary" ? WITHOUT_AND_WITH : null;
  const write = useMemo(() => unitOf(metric).value, [metric]);
  const edges = distributions[arms[0] ?? ""]?.bin_edges ?? NO_EDGES;
  const draw = useCallback(
    (plot: typeof import("@observablehq/plot"), width: number) =>
      histogramPlot(plot, {
        bars: histogramBars(distributions, arms),
        edges,
        colors,
        write,
        binNames,
        width,
      }),
    [distributions, arms, edges, colors, write, binNames],
  );
  const totals = arms.map((arm) => ({
    arm,
    total: distributions[arm]?.counts.reduce((sum, value) => sum + value, 0) ?? 0,
  }));
  return (
    <PlotFigure
      title={title}
      summary={`${title}: ${totals.map(({ arm, total }) => `${arm} ${count(total)} values`).join(", ")}.`}
      draw={draw}
      legend={
        <div className="legend">
          {totals.map(({ arm, total }) => (
            <ArmLabel key={arm} name={`${arm}: ${count(total)}`} color={colors.get(arm)} />
          ))}
        </div>
      }
      table={
        <BinTable
          title={title}
          arms={arms}
          distributions={distributions}
          edges={edges}
          write={write}
          binNames={binNames}
        />
      }
    />
  );
}

const NO_EDGES: readonly number[] = [];

/** The two bins of a binary metric. */
const WITHOUT_AND_WITH = ["without", "with"] as const;

interface BinTableProps {
  readonly title: string;
  readonly arms: readonly string[];
  readonly distributions: Distributions;
  readonly edges: readonly number[];
  readonly write: (value: number) => string;
  readonly binNames: readonly string[] | null;
}

function BinTable({ title, arms, distributions, edges, write, binNames }: BinTableProps) {
  return (
    <Table
      caption={`${title}: values by bin and variant`}
      isCaptionHidden
      rows={edges.slice(0, -1).map((from, bin) => ({ bin, from, to: edges[bin + 1] ?? from }))}
      rowKey={({ bin }) => String(bin)}
      columns={[
        {
          key: "bin",
          title: binNames ? "Users" : "From … to",
          cell: ({ bin, from, to }) => (
            <span title={`${number(from, 6)} to ${number(to, 6)}`}>
              {binNames?.[bin] ?? `${write(from)} … ${write(to)}`}
            </span>
          ),
        },
        ...arms.map((arm) => ({
          key: arm,
          title: arm,
          isNumeric: true,
          cell: ({ bin }: { readonly bin: number }) => count(distributions[arm]?.counts[bin] ?? 0),
        })),
      ]}
    />
  );
}
