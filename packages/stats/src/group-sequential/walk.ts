import { normalQuantile, normalSf } from "../distributions/normal.ts";
import { gaussLegendre } from "./gauss-legendre.ts";

/**
 * The distribution of the score statistic z √t of a test that continues after a look: the probability of each place on a grid. The
 * statistic is a Brownian walk with a drift per unit of information. The recursion is from Armitage, McPherson & Rowe 1969 (Jennison &
 * Turnbull 2000, chapter 19), with Gauss-Legendre nodes.
 */
export interface Grid {
  readonly t: number;
  readonly places: Float64Array;
  readonly masses: Float64Array;
}

/** A look. The walk continues between its ends, which are scores z √t with lower ≤ upper. */
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

/** Every walk starts at 0 with certainty. */
const ORIGIN: Grid = {
  t: 0,
  places: new Float64Array(1),
  masses: Float64Array.of(1),
};

/** Above or below. */
export type Side = 1 | -1;

/** Range of the grid around the walk's mean, in standard deviations. The probability beyond it is 3e-15. */
const REACH = 7.8;
/** The distance between nodes in the middle of the grid, in standard deviations of the shorter step. */
const SPACING = 1;
const MARGIN_NODES = 8;
const ROOT_2_PI = Math.sqrt(2 * Math.PI);

/**
 * Carries the walk through its latest look (null: none) to a grid that is fine enough for the steps before and after the look. The
 * step after a look is known only from the next look's fraction, so each look is processed when the next one comes.
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

/** Computes the density, at fraction t, of walks that continued up to the grid. */
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

/** Computes the probability that the walk continued up to the grid and is beyond a place at a later fraction t. */
export function massBeyond(from: Grid, drift: number, t: number, side: Side, place: number): number {
  const { places, masses } = from;
  const scale = side / Math.sqrt(t - from.t);
  const mean = place - drift * (t - from.t);
  let sum = 0;
  for (let j = 0; j < places.length; j++) {
    const z = scale * (mean - places[j]!);
    // Probabilities of 1e-20 and less change no boundary, and computing the tail takes most of the time.
    if (z < 9) sum += masses[j]! * normalSf(z);
  }
  return sum;
}

/**
 * Finds the place that the walk has passed at fraction t with the given probability (> 0, and less than the probability that the
 * walk continued up to the grid).
 */
export function placeOf(from: Grid, drift: number, t: number, side: Side, probability: number): number {
  const z = -normalQuantile(probability);
  const edge = side === 1 ? from.places.at(-1)! : from.places[0]!;
  // Both starting points are beyond the place: the place for a walk that never stopped, and the place if all mass were at the edge.
  // The logarithm of a log-concave tail is concave, so Newton's method converges monotonically from there.
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
