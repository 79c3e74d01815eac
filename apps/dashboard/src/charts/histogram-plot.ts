import type { PlotOptions } from "@observablehq/plot";
import type { Distribution } from "../api/types.ts";
import { number, percent } from "../format/numbers.ts";
import { type BinScale, barsOf, binScale, isBinary, logTicks, outlineOf, quantileOf } from "./histogram.ts";

export interface HistogramArm {
  readonly key: string;
  readonly color: string;
  readonly distribution: Distribution;
}

/** Formats a value in the metric's unit. */
export type WriteValue = (value: number) => string;

const QUANTILES = [
  { name: "p50", share: 0.5 },
  { name: "p95", share: 0.95 },
] as const;

const LABEL_HEIGHT = 12;

/** Estimates each arm's median and 95th percentile from its bins; binary values have none. */
export function quantilesOf(arms: readonly HistogramArm[]) {
  return arms.flatMap(({ key, color, distribution }) =>
    isBinary(distribution)
      ? []
      : QUANTILES.flatMap(({ name, share }) => {
          const found = quantileOf(distribution, share, binScale(distribution));
          return found === null ? [] : [{ key, color, name, ...found }];
        }),
  );
}

/** Overlays the arms' histograms: control is filled, treatments are lines, quantiles are marked above. */
export function histogramPlot(
  plot: typeof import("@observablehq/plot"),
  width: number,
  { arms, write }: { readonly arms: readonly HistogramArm[]; readonly write: WriteValue },
): PlotOptions {
  const [control, ...treatments] = arms;
  if (control === undefined) return {};
  const scale = binScale(control.distribution);
  const ticks = quantilesOf(arms);
  const above = (arms.length + 1) * LABEL_HEIGHT;
  return {
    width,
    height: 204 + above,
    marginLeft: 48,
    marginTop: above,
    x: { label: null, ...xAxis(control.distribution, scale, { width, write }) },
    y: { label: null, grid: true, tickFormat: (value: number) => percent(value) },
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
          {
            x: "x",
            text: "name",
            fill: "color",
            frameAnchor: "top",
            dy: -2 - (arms.length - line) * LABEL_HEIGHT,
          },
        ),
      ),
    ],
  };
}

function xAxis(
  distribution: Distribution,
  scale: BinScale,
  { width, write }: { readonly width: number; readonly write: WriteValue },
) {
  const { bin_edges: edges } = distribution;
  if (isBinary(distribution))
    return { domain: [0, 2], ticks: [0.5, 1.5], tickFormat: (x: number) => (x < 1 ? "without" : "with") };
  if (scale === "log")
    return { type: "log" as const, ticks: logTicks(edges, width / 100), tickFormat: write };
  const every = Math.max(1, Math.ceil(edges.length / (width / 70)));
  const ticks = edges.flatMap((_, index) => (index % every === 0 ? [index] : []));
  return { ticks, tickFormat: (index: number) => number(edges[index] ?? 0) };
}
