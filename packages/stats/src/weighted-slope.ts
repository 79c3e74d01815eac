import { normalSf } from "./distributions/normal.ts";
import { Z } from "./level.ts";
import { sumOf } from "./sum-of.ts";

/** A spread below this share of the squares is a cancellation error. */
const CANCELLATION = 1e-12;

export interface WeightedPoint {
  /** The user, as a whole number chosen by the caller. */
  readonly cluster: number;
  /** Above 0, in any unit. */
  readonly weight: number;
  readonly x: number;
  readonly y: number;
}

/** The slope of y on x, with its 95% interval. */
export interface Slope {
  readonly slope: number;
  readonly standardError: number;
  /** Two-sided p-value of no slope; never below 1e-300. */
  readonly pValue: number;
  readonly ciLow: number;
  readonly ciHigh: number;
  /** Weighted, −1 to 1. */
  readonly correlation: number;
}

/**
 * Fits a line by weighted least squares, with the standard error for clustered data (Liang & Zeger 1986) and its usual correction
 * G / (G − 1) · (n − 1) / (n − 2) for G clusters and n points. p and interval are normal, so they need about 50 clusters. Null for
 * fewer than two clusters or three points, if x or y has no spread, or if all points lie on the line.
 */
export function weightedSlope(points: readonly WeightedPoint[]): Slope | null {
  const clusters = new Set(points.map(({ cluster }) => cluster)).size;
  if (clusters < 2 || points.length < 3) return null;
  const line = fit(points);
  if (line === null) return null;
  const scores = new Map<number, number>();
  for (const { cluster, weight, x, y } of points) {
    const gap = y - line.meanY - line.slope * (x - line.meanX);
    scores.set(cluster, (scores.get(cluster) ?? 0) + weight * (x - line.meanX) * gap);
  }
  const correction = (clusters / (clusters - 1)) * ((points.length - 1) / (points.length - 2));
  const squares = sumOf([...scores.values()].map((score) => score * score));
  const standardError = Math.sqrt(correction * squares) / line.spreadX;
  if (!(standardError > CANCELLATION * Math.abs(line.slope))) return null;
  return {
    slope: line.slope,
    standardError,
    pValue: Math.max(1e-300, 2 * normalSf(Math.abs(line.slope) / standardError)),
    ciLow: line.slope - Z * standardError,
    ciHigh: line.slope + Z * standardError,
    correlation: line.correlation,
  };
}

function fit(points: readonly WeightedPoint[]) {
  const total = sumOf(points.map(({ weight }) => weight));
  const mean = (of: (point: WeightedPoint) => number) =>
    sumOf(points.map((point) => point.weight * of(point))) / total;
  const [meanX, meanY] = [mean(({ x }) => x), mean(({ y }) => y)];
  const spread = (of: (point: WeightedPoint) => number) => total * mean(of);
  const spreadX = spread(({ x }) => (x - meanX) ** 2);
  const spreadY = spread(({ y }) => (y - meanY) ** 2);
  const cross = spread(({ x, y }) => (x - meanX) * (y - meanY));
  const hasSpread =
    spreadX > CANCELLATION * total * meanX * meanX && spreadY > CANCELLATION * total * meanY * meanY;
  if (!hasSpread) return null;
  return { meanX, meanY, spreadX, slope: cross / spreadX, correlation: cross / Math.sqrt(spreadX * spreadY) };
}
