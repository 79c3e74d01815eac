import type { Row } from "../harness/section.ts";
import { linearScale } from "./scale.ts";
import { COLOURS, element, line, svgImage, text } from "./svg.ts";

const WIDTH = 960;
const LABELS = 510;
const ROW = 20;
const TOP = 40;
const MARGIN = 24;

interface Dot {
  readonly label: string;
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly isInside: boolean;
}

/** Plots one measure of every row: a dot for the figure, a bar for its band. A figure outside is red and ringed. */
export function dotPlot(title: string, rows: readonly Row[], measure = 0): string {
  const dots = rows.map((row) => toDot(row, measure));
  const height = TOP + dots.length * ROW + 40;
  const values = dots.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = 0.06 * (most - least || 0.01);
  const x = linearScale([Math.max(0, least - room), Math.min(1, most + room)], [LABELS, WIDTH - MARGIN]);
  const bottom = TOP + dots.length * ROW;
  const grid = x.ticks.flatMap((tick) => [
    line([x.at(tick), TOP - 6], [x.at(tick), bottom], { stroke: COLOURS.grid }),
    text(percent(tick), x.at(tick), { y: bottom + 18, "text-anchor": "middle" }),
  ]);
  const marks = dots.flatMap((dot, index) => drawDot(dot, x.at, TOP + (index + 0.5) * ROW));
  return svgImage({ width: WIDTH, height, title }, [...grid, ...marks]);
}

function toDot({ cell, verdicts }: Row, measure: number): Dot {
  const { tally, limits, isInside } = verdicts[measure]!;
  return {
    label: cell.labels.join(" · "),
    value: tally.mean,
    low: limits?.low ?? null,
    high: limits?.high ?? null,
    isInside,
  };
}

function drawDot({ label, value, low, high, isInside }: Dot, at: (value: number) => number, y: number) {
  const [from, to] = [low === null ? LABELS : at(low), high === null ? WIDTH - MARGIN : at(high)];
  const band = { x: from, y: y - 6, width: to - from, height: 12, fill: COLOURS.band };
  const colour = isInside ? COLOURS.good : COLOURS.bad;
  const ring = { cx: at(value), cy: y, r: 7, fill: "none", stroke: COLOURS.bad, "stroke-width": 1.5 };
  return [
    text(label, LABELS - 10, { y: y + 4, "text-anchor": "end" }),
    ...(low === null && high === null ? [] : [element("rect", band)]),
    element("circle", { cx: at(value), cy: y, r: 4, fill: colour }),
    ...(isInside ? [] : [element("circle", ring)]),
  ];
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(6))} %`;
}
