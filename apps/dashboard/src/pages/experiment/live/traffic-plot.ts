import type { PlotOptions } from "@observablehq/plot";
import { sum } from "../../../format/numbers.ts";
import { shortDay } from "../../../format/times.ts";

/** Exposures of all variants in one day or minute. */
export interface TrafficPoint {
  readonly at: Date;
  readonly exposures: Readonly<Record<string, number>>;
}

/** When a version of the experiment took effect. */
export interface VersionMark {
  readonly at: Date;
  readonly version: number;
}

/** Minimum of the axis maximum, so that ticks are whole exposures. */
const FEWEST = 5;

const total = ({ exposures }: TrafficPoint) => sum(Object.values(exposures));

interface TrafficOptions {
  readonly points: readonly TrafficPoint[];
  readonly colors: ReadonlyMap<string, string>;
  readonly interval: "day" | "minute";
  /** Domain of the time axis; the span of the points by default. */
  readonly domain?: readonly [Date, Date] | undefined;
  readonly marks: readonly VersionMark[];
  readonly width: number;
}

/** Plots stacked bars of exposures over time, with a line at each new version. */
export function trafficPlot(
  plot: typeof import("@observablehq/plot"),
  { points, colors, interval, domain, marks, width }: TrafficOptions,
): PlotOptions {
  const arms = [...colors.keys()];
  const rows = points.flatMap(({ at, exposures }) =>
    arms.map((arm) => ({ at, arm, exposures: exposures[arm] ?? 0 })),
  );
  return {
    width,
    height: 220,
    marginLeft: 48,
    marginTop: 24,
    x: {
      type: "utc",
      label: null,
      tickFormat: timeLabel,
      ...(domain === undefined ? {} : { domain: [...domain] }),
    },
    y: { label: null, grid: true, nice: true, ticks: 5, domain: [0, Math.max(FEWEST, ...points.map(total))] },
    color: { domain: arms, range: [...colors.values()] },
    marks: [
      plot.rectY(rows, {
        x: "at",
        y: "exposures",
        fill: "arm",
        interval,
        order: arms,
        insetLeft: 0.5,
        insetRight: 0.5,
      }),
      plot.ruleY([0]),
      plot.ruleX(marks, { x: "at", stroke: "var(--ink)", strokeDasharray: "4 3" }),
      plot.text(marks, {
        x: "at",
        text: ({ version }: VersionMark) => `v${version}`,
        frameAnchor: "top",
        dy: -12,
        fill: "var(--ink)",
      }),
    ],
  };
}

/** The day if it is midnight, otherwise the 24-hour time, both in UTC: "27 Nov", "18:00". */
export function timeLabel(at: Date): string {
  const time = at.toISOString().slice(11, 16);
  return time === "00:00" ? shortDay(at) : time;
}
