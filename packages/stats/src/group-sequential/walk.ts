import { normalQuantile, normalSf } from "../distributions/normal.ts";
import { gaussLegendre } from "./gauss-legendre.ts";

/**
 * The score statistic z √t of a test that goes on at a look, as a Brownian walk with a drift per unit of information:
 * the probability of each place, on a grid. The recursion is that of Armitage, McPherson & Rowe 1969 (Jennison &
 * Turnbull 2000, chapter 19), with Gauss-Legendre nodes.
 */
export interface Grid {
  readonly t: number;
  readonly places: Float64Array;
  readonly masses: Float64Array;
}

/** A look between whose ends (of the score z √t, lower ≤ upper) the walk goes on. */
export interface Stop {
  readonly t: number;
  readonly lower: number;
  readonly upper: number;
}

/** The latest look of a walk, and the grid before it. */
export interface Look {
  readonly before: Grid;
  readonly stop: Stop;
}

/** Every walk starts at 0, for certain. */
const ORIGIN: Grid = {
  t: 0,
  places: new Float64Array(1),
  masses: Float64Array.of(1),
};

/** Above or below. */
export type Side = 1 | -1;

/** How many of its standard deviations from its mean the walk is followed: 3e-15 lies beyond. */
const REACH = 7.8;
/** The distance of nodes at the middle of the grid, in standard deviations of the shorter step. */
const SPACING = 1;
const MARGIN_NODES = 8;
const ROOT_2_PI = Math.sqrt(2 * Math.PI);

/**
 * Takes the walk through its latest look (null: there was none) to a grid that is fine enough for the steps before and
 * after that look. It takes the next look's fraction to know, so a look waits for the next.
 */
export function beforeNext(latest: Look | null, drift: number, nextT: number): Grid {
  if (latest === null) return ORIGIN;
  const { before: from, stop } = latest;
  const { t } = stop;
  const spread = Math.sqrt(t - from.t);
  const reach = REACH * Math.sqrt(t);
  const upper = Math.min(stop.upper, drift * t + reach);
  const lower = Math.min(upper, Math.max(stop.lower, drift * t - reach));
  const half = (upper - lower) / 2;
  const finest = Math.min(spread, Math.sqrt(nextT - t));
  const rule = gaussLegendre(8 * Math.ceil(((Math.PI * half) / (SPACING * finest) + MARGIN_NODES) / 8));
  const size = rule.nodes.length;
  const places = new Float64Array(size);
  const masses = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const place = lower + half * (1 + rule.nodes[i]!);
    places[i] = place;
    masses[i] = half * rule.weights[i]! * densityAt(from, drift, t, place);
  }
  return { t, places, masses };
}

/** Computes the density, at fraction t, of walks that went on until the grid. */
function densityAt({ t: start, places, masses }: Grid, drift: number, t: number, place: number): number {
  const variance = t - start;
  const mean = place - drift * variance;
  const scale = -0.5 / variance;
  let sum = 0;
  for (let j = 0; j < places.length; j++) {
    const distance = mean - places[j]!;
    sum += masses[j]! * Math.exp(scale * distance * distance);
  }
  return sum / (ROOT_2_PI * Math.sqrt(variance));
}

/** Computes the probability that the walk went on until the grid and lies beyond a place at fraction t > the grid's. */
export function massBeyond(from: Grid, drift: number, t: number, side: Side, place: number): number {
  const { places, masses } = from;
  const scale = side / Math.sqrt(t - from.t);
  const mean = place - drift * (t - from.t);
  let sum = 0;
  for (let j = 0; j < places.length; j++) {
    const z = scale * (mean - places[j]!);
    // 1e-20 and less changes no boundary, and the tail is what takes the time.
    if (z < 9) sum += masses[j]! * normalSf(z);
  }
  return sum;
}

/**
 * Finds the place beyond which the walk lies at fraction t with the probability given (> 0, less than that of all walks
 * that went on until the stop).
 */
export function placeOf(from: Grid, drift: number, t: number, side: Side, probability: number): number {
  const z = -normalQuantile(probability);
  const edge = side === 1 ? from.places.at(-1)! : from.places[0]!;
  // Both ends lie beyond the place: a walk that had never stopped, and one whose whole mass lay at the edge. The logarithm
  // of a log-concave tail is concave, so from there Newton's method comes nearer step by step.
  const free = drift * t + side * Math.sqrt(t) * z;
  const fromEdge = edge + drift * (t - from.t) + side * Math.sqrt(t - from.t) * z;
  let place = side * Math.min(side * free, side * fromEdge);
  for (;;) {
    const mass = massBeyond(from, drift, t, side, place);
    const step = (Math.log(probability / mass) * mass) / densityAt(from, drift, t, place);
    place -= side * step;
    if (!(step > 1e-8)) return place;
  }
}
