import { marker } from "./arms.js";
import { svg } from "./dom.js";
import { count, number, percent, signed } from "./format.js";

const BAR = { width: 220, height: 28, pad: 10 };

/**
 * Finds the half-width of the axis that all relative effects share. Very wide intervals are cut, with an arrow.
 * @param {any[]} rows
 */
export function sharedAxis(rows) {
  const bounds = rows.flatMap((row) => [row.relative_ci_low, row.relative_ci_high, row.relative_effect]);
  const points = rows.map((row) => Math.abs(row.relative_effect ?? 0));
  const widest = Math.max(...bounds.map((bound) => Math.abs(bound ?? 0)));
  return niceCeiling(Math.min(widest, Math.max(1, 1.5 * Math.max(...points)))) || 1;
}

/** Rounds up to 1, 2, 3, 4, 5, 6 or 8 times a power of ten. @param {number} value */
function niceCeiling(value) {
  if (value <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 3, 4, 5, 6, 8, 10].find((candidate) => candidate * power >= value * 0.999999);
  return (step ?? 10) * power;
}

const xOnBar = (value, axis) =>
  BAR.pad + ((Math.max(-axis, Math.min(axis, value)) + axis) / (2 * axis)) * (BAR.width - 2 * BAR.pad);

/** Draws the shared axis with its zero. @param {number} axis */
export function axisScale(axis) {
  const tick = (value, anchor) =>
    svg(
      "text",
      { x: xOnBar(value, axis), y: 12, "text-anchor": anchor, class: "tick" },
      signed(value, percent),
    );
  return svg(
    "svg",
    { viewBox: `0 0 ${BAR.width} 16`, class: "interval", "aria-hidden": "true" },
    tick(-axis, "start"),
    tick(0, "middle"),
    tick(axis, "end"),
  );
}

/**
 * Draws a relative effect with its interval: filled when significant, hollow when not clear.
 * @param {any} row
 * @param {number} axis from `sharedAxis`
 * @param {import("./arms.js").Arm} arm
 */
export function intervalBar(row, axis, arm) {
  const middle = BAR.height / 2;
  const low = row.relative_ci_low ?? -Infinity;
  const high = row.relative_ci_high ?? Infinity;
  const zero = xOnBar(0, axis);
  const from = xOnBar(low, axis);
  const to = xOnBar(high, axis);
  const hasInterval = row.relative_ci_low !== null || row.relative_ci_high !== null;
  const line = (x1, x2) => svg("line", { x1, x2, y1: middle, y2: middle, class: `${arm.colour} whisker` });
  const cut = (x, d) =>
    svg("path", { d, transform: `translate(${x} ${middle})`, class: `${arm.colour} cut` });
  return svg(
    "svg",
    { viewBox: `0 0 ${BAR.width} ${BAR.height}`, class: "interval", "aria-hidden": "true" },
    [-axis, -axis / 2, axis / 2, axis].map((at) => rule(xOnBar(at, axis), "grid")),
    rule(zero, "zero"),
    hasInterval && line(from, to),
    hasInterval && low < -axis && cut(from, "M2 -5L-5 0L2 5Z"),
    hasInterval && high > axis && cut(to, "M-2 -5L5 0L-2 5Z"),
    marker(arm, xOnBar(row.relative_effect, axis), middle, !row.significant),
  );
}

function rule(x, kind) {
  return svg("line", { x1: x, x2: x, y1: 0, y2: BAR.height, class: kind });
}

const HIST = { width: 640, height: 200, left: 76, bottom: 26, top: 16 };
const DASHES = [null, null, "7 3", "2 3", "9 3 2 3"];

/**
 * Overlays the arms' histograms as shares of each arm, every bin equally wide: control filled, the others as lines.
 * @param {Record<string, { bin_edges: number[], counts: number[] }>} distribution on shared bins
 * @param {import("./arms.js").Arm[]} arms
 * @param {string} label
 */
export function histogram(distribution, arms, label) {
  const shown = arms.filter(({ key }) => distribution[key]);
  const shares = new Map(shown.map(({ key }) => [key, sharesOf(distribution[key].counts)]));
  const edges = distribution[shown[0].key].bin_edges;
  const top = Math.max(...[...shares.values()].flat()) || 1;
  const bins = edges.length - 1;
  const x = (bin) => HIST.left + (bin / bins) * (HIST.width - HIST.left - 8);
  const y = (share) => HIST.height - HIST.bottom - (share / top) * (HIST.height - HIST.bottom - HIST.top);
  const ticks = [
    ...new Set([0, Math.round(bins / 4), Math.round(bins / 2), Math.round((3 * bins) / 4), bins]),
  ];
  return svg(
    "svg",
    { viewBox: `0 0 ${HIST.width} ${HIST.height}`, class: "chart", role: "img", "aria-label": label },
    yAxis(y, [0, top / 2, top], percent, HIST),
    shown.map((arm) => steps(shares.get(arm.key), arm, { x, y })),
    ticks.map((bin) =>
      svg(
        "text",
        { x: x(bin), y: HIST.height - 8, "text-anchor": bin === bins ? "end" : "middle", class: "tick" },
        number(edges[bin]),
      ),
    ),
  );
}

function sharesOf(counts) {
  const total = counts.reduce((sum, value) => sum + value, 0);
  return counts.map((value) => (total === 0 ? 0 : value / total));
}

function steps(shares, { colour, shape }, { x, y }) {
  const path = shares.map((share, bin) => `L${x(bin)} ${y(share)}H${x(bin + 1)}`).join("");
  return svg("path", {
    d: `M${x(0)} ${y(0)}${path}V${y(0)}`,
    class: `${colour} steps${shape === 0 ? " filled" : ""}`,
    "stroke-dasharray": DASHES[shape],
  });
}

function yAxis(y, values, write, { width, left }) {
  return values.map((value) =>
    svg(
      "g",
      {},
      svg("line", { x1: left, x2: width - 8, y1: y(value), y2: y(value), class: "grid" }),
      svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end", class: "tick" }, write(value)),
    ),
  );
}

const TRAFFIC = { width: 640, height: 180, left: 76, bottom: 24, top: 16 };

/**
 * Stacks the exposures of each day by variant, in the order of the legend from below.
 * @param {{ day: string, exposures: Record<string, number> }[]} days
 * @param {import("./arms.js").Arm[]} arms
 */
export function trafficChart(days, arms) {
  const totals = days.map(({ exposures }) => Object.values(exposures).reduce((sum, value) => sum + value, 0));
  const top = niceCeiling(Math.max(...totals)) || 1;
  const room = (TRAFFIC.width - TRAFFIC.left - 8) / days.length;
  const width = Math.min(56, room * 0.72);
  const x = (index) => TRAFFIC.left + room * (index + 0.5);
  const y = (value) =>
    TRAFFIC.height - TRAFFIC.bottom - (value / top) * (TRAFFIC.height - TRAFFIC.bottom - TRAFFIC.top);
  const every = Math.ceil(days.length / 8);
  return svg(
    "svg",
    {
      viewBox: `0 0 ${TRAFFIC.width} ${TRAFFIC.height}`,
      class: "chart",
      role: "img",
      "aria-label": "Exposures per day, stacked by variant; the numbers are in the table below.",
    },
    svg("defs", {}, arms.map(hatch)),
    yAxis(y, top < 2 ? [0, top] : [0, top / 2, top], count, TRAFFIC),
    days.flatMap((day, index) => [
      ...stack(day, arms, { left: x(index) - width / 2, width, y }),
      index % every === 0 &&
        svg(
          "text",
          { x: x(index), y: TRAFFIC.height - 6, "text-anchor": "middle", class: "tick" },
          day.day.slice(5),
        ),
    ]),
  );
}

function stack({ day, exposures }, arms, { left, width, y }) {
  let below = 0;
  return arms
    .filter(({ key }) => exposures[key] > 0)
    .map((arm) => {
      const from = below;
      below += exposures[arm.key];
      const height = y(from) - y(below);
      const gap = height > 3 ? 1 : 0;
      const size = { x: left, width, y: y(below), height: Math.max(1, height - gap) };
      return svg(
        "g",
        {},
        svg("rect", { ...size, class: `${arm.colour} slice` }),
        svg("rect", { ...size, class: "texture", fill: `url(#hatch-${arm.shape})` }),
        svg("title", {}, `${day}, ${arm.key}: ${count(exposures[arm.key])} exposures`),
      );
    });
}

const HATCHES = [null, "M0 3H6", "M0 0L6 6", "M3 0V6", "M0 6L6 0"];

function hatch({ shape }) {
  const box = { id: `hatch-${shape}`, width: 6, height: 6, patternUnits: "userSpaceOnUse" };
  return svg("pattern", box, HATCHES[shape] && svg("path", { d: HATCHES[shape], class: "hatch" }));
}
