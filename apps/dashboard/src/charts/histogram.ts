import type { PlotOptions } from "@observablehq/plot";
import type { Distribution } from "../api/types.ts";

/** By arm, over edges that all arms share. */
export type Distributions = Readonly<Record<string, Distribution>>;

/** One bin of one arm. */
export interface HistogramBar {
  readonly arm: string;
  /** Position of the bin: bins are drawn equally wide, whatever they span, since their edges grow by a factor. */
  readonly bin: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Of the arm's values: arms of different size can be compared. */
  readonly share: number;
}

/** Lists every arm's bins, arms in the order given; arms without a value are left out. */
export function histogramBars(
  distributions: Distributions,
  arms: readonly string[],
): readonly HistogramBar[] {
  return arms.flatMap((arm) => {
    const { bin_edges: edges = [], counts = [] } = distributions[arm] ?? {};
    const total = counts.reduce((sum, count) => sum + count, 0);
    if (total === 0) return [];
    return counts.map((count, bin) => ({
      arm,
      bin,
      from: edges[bin] ?? 0,
      to: edges[bin + 1] ?? 0,
      count,
      share: count / total,
    }));
  });
}

/** Returns the edges that get a label: at most so many, spread evenly over the axis. */
export function labelledEdges(edgeCount: number, atMost: number): readonly number[] {
  const step = Math.max(1, Math.ceil((edgeCount - 1) / Math.max(1, atMost - 1)));
  return Array.from({ length: Math.ceil(edgeCount / step) }, (_, index) => index * step);
}

interface HistogramOptions {
  readonly bars: readonly HistogramBar[];
  readonly edges: readonly number[];
  readonly colors: ReadonlyMap<string, string>;
  /** Writes a value of the metric. */
  readonly write: (value: number) => string;
  /** Names of the bins, where these say more than their edges. */
  readonly binNames: readonly string[] | null;
  readonly width: number;
}

const PX_PER_LABEL = 90;

/** Makes the overlaid histograms of all arms: shares of each arm's own values, filled lightly, outlined clearly. */
export function histogramPlot(
  plot: typeof import("@observablehq/plot"),
  { bars, edges, colors, write, binNames, width }: HistogramOptions,
): PlotOptions {
  const fill = ({ arm }: HistogramBar) => colors.get(arm) ?? "var(--muted)";
  return {
    width,
    height: 200,
    marginLeft: 44,
    marginRight: 40,
    x: {
      domain: [0, edges.length - 1],
      ...(binNames === null
        ? {
            ticks: [...labelledEdges(edges.length, Math.max(2, Math.floor(width / PX_PER_LABEL)))],
            tickFormat: (index: number) => write(edges[index] ?? 0),
          }
        : {
            ticks: binNames.map((_, index) => index + 0.5),
            tickFormat: (middle: number) => binNames[Math.floor(middle)] ?? "",
          }),
      label: null,
    },
    y: { percent: true, label: "% of the variant's values", grid: true },
    marks: [
      plot.rectY(bars, {
        x1: ({ bin }: HistogramBar) => bin,
        x2: ({ bin }: HistogramBar) => bin + 1,
        y1: 0,
        y2: "share",
        fill: { value: fill, scale: null },
        fillOpacity: 0.2,
      }),
      plot.line(outline(bars), {
        x: "bin",
        y: "share",
        z: "arm",
        stroke: { value: fill, scale: null },
        strokeWidth: 1.5,
        curve: "step-after",
      }),
      plot.ruleY([0]),
    ],
  };
}

/** The upper edge of an arm's bars from left to right: the last one ends where its bin ends. */
function outline(bars: readonly HistogramBar[]): readonly HistogramBar[] {
  return bars.flatMap((bar, index) =>
    bars[index + 1]?.arm === bar.arm ? [bar] : [bar, { ...bar, bin: bar.bin + 1 }],
  );
}
