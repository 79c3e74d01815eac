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
  const isBinary = metric?.kind === "binary";
  const write = useMemo(() => (isBinary ? yesOrNo : unitOf(metric).value), [isBinary, metric]);
  const edges = distributions[arms[0] ?? ""]?.bin_edges ?? NO_EDGES;
  const draw = useCallback(
    (plot: typeof import("@observablehq/plot"), width: number) =>
      histogramPlot(plot, { bars: histogramBars(distributions, arms), edges, colors, write, width }),
    [distributions, arms, edges, colors, write],
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
      table={<BinTable title={title} arms={arms} distributions={distributions} edges={edges} write={write} />}
    />
  );
}

const NO_EDGES: readonly number[] = [];

/** A binary metric's edges are −½, ½ and 1½: its bins are without and with. */
function yesOrNo(edge: number): string {
  if (edge < 0) return "without";
  return edge < 1 ? "with" : "";
}

interface BinTableProps {
  readonly title: string;
  readonly arms: readonly string[];
  readonly distributions: Distributions;
  readonly edges: readonly number[];
  readonly write: (value: number) => string;
}

function BinTable({ title, arms, distributions, edges, write }: BinTableProps) {
  const isBinary = write === yesOrNo;
  return (
    <Table
      caption={`${title}: values by bin and variant`}
      isCaptionHidden
      rows={edges.slice(0, -1).map((from, bin) => ({ bin, from, to: edges[bin + 1] ?? from }))}
      rowKey={({ bin }) => String(bin)}
      columns={[
        {
          key: "bin",
          title: isBinary ? "Users" : "From … to",
          cell: ({ from, to }) => (
            <span title={`${number(from, 6)} to ${number(to, 6)}`}>
              {isBinary ? write(from) : `${write(from)} … ${write(to)}`}
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
