import { linearScale } from "./scale.ts";
import { COLOURS, element, line, svgImage, text } from "./svg.ts";

const WIDTH = 860;
const HEIGHT = 340;
const LEFT = 60;
const RIGHT = 250;
const TOP = 50;
const BOTTOM = 50;

/** Points joined by a line, left to right. */
export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface LinePlot {
  readonly title: string;
  readonly xLabel: string;
  readonly series: readonly Series[];
  /** A level for comparison with the series. */
  readonly reference?: { readonly name: string; readonly y: number };
  /** Labels of the positions on the x axis; the numbers themselves when absent. */
  readonly xTicks?: readonly (readonly [x: number, name: string])[];
  /** Formats the numbers of the y axis; as percentages when absent. */
  readonly yText?: (value: number) => string;
}

/** Plots values (shares from 0 to 1 by default) against a number. The name of every series is next to the plot. */
export function linePlot({ title, xLabel, series, reference, xTicks, yText = percent }: LinePlot): string {
  const points = series.flatMap((one) => one.points);
  const xs = points.map(([x]) => x);
  const top = Math.max(reference?.y ?? 0, ...points.map(([, y]) => y));
  const x = linearScale([Math.min(...xs), Math.max(...xs)], [LEFT, WIDTH - RIGHT]);
  const y = linearScale([0, top * 1.05], [HEIGHT - BOTTOM, TOP]);
  const names = xTicks ?? x.ticks.map((tick) => [tick, String(tick)] as const);
  const axes = [
    ...y.ticks.flatMap((tick) => [
      line([LEFT, y.at(tick)], [WIDTH - RIGHT, y.at(tick)], { stroke: COLOURS.grid }),
      text(yText(tick), LEFT - 8, { y: y.at(tick) + 4, "text-anchor": "end" }),
    ]),
    ...names.map(([at, name]) => text(name, x.at(at), { y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" })),
    text(xLabel, (LEFT + WIDTH - RIGHT) / 2, { y: HEIGHT - 12, "text-anchor": "middle" }),
  ];
  const lines = series.map((one, index) => drawSeries(one, { x: x.at, y: y.at }, colourOf(index)));
  const key = series.map((one, index) => drawKey(one.name, index));
  const level =
    reference === undefined ? [] : [drawReference(reference.name, y.at(reference.y), series.length)];
  return svgImage({ width: WIDTH, height: HEIGHT, title }, [...axes, ...level, ...lines, ...key]);
}

function drawSeries(
  { points }: Series,
  at: { readonly x: (value: number) => number; readonly y: (value: number) => number },
  colour: string,
): string {
  const places = points.map(([x, y]) => `${at.x(x).toFixed(1)},${at.y(y).toFixed(1)}`);
  const path = { points: places.join(" "), fill: "none", stroke: colour, "stroke-width": 2 };
  const dots = points.map(([x, y]) => element("circle", { cx: at.x(x), cy: at.y(y), r: 2.5, fill: colour }));
  return [element("polyline", path), ...dots].join("\n");
}

function drawReference(name: string, y: number, position: number): string {
  const style = { stroke: COLOURS.ink, "stroke-dasharray": "5 4" };
  const [x, key] = [WIDTH - RIGHT + 20, TOP + 10 + 22 * position];
  return [
    line([LEFT, y], [WIDTH - RIGHT, y], style),
    line([x, key], [x + 22, key], style),
    text(name, x + 30, { y: key + 4 }),
  ].join("\n");
}

function drawKey(name: string, index: number): string {
  const [x, y] = [WIDTH - RIGHT + 20, TOP + 10 + 22 * index];
  return [
    line([x, y], [x + 22, y], { stroke: colourOf(index), "stroke-width": 2 }),
    text(name, x + 30, { y: y + 4 }),
  ].join("\n");
}

function colourOf(index: number): string {
  return COLOURS.series[index % COLOURS.series.length]!;
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(6))} %`;
}
