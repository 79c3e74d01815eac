/**
 * Median of the slopes between all pairs of points, per unit of x (Theil 1950, Sen 1968): robust against
 * outliers. Needs two points.
 */
export function theilSenSlope(points: readonly (readonly [x: number, y: number])[]): number {
  const slopes: number[] = [];
  for (const [index, [x1, y1]] of points.entries()) {
    for (const [x2, y2] of points.slice(index + 1)) if (x2 !== x1) slopes.push((y2 - y1) / (x2 - x1));
  }
  return median(slopes);
}

/** Middle value; for an even number of values, the mean of the two middle ones. NaN for no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

/** A reading of a process's memory: `major` counts its major garbage collections so far. */
export interface CycleReading {
  readonly atMs: number;
  readonly major: number;
}

/**
 * Returns the point with the least memory of each cycle, from one major garbage collection to the next. What lies above it is garbage
 * that no collection has looked at yet, and says nothing about growth. The first and the last cycle are not whole and left out.
 */
export function cycleMinima<Reading extends CycleReading>(
  readings: readonly Reading[],
  bytesOf: (reading: Reading) => number,
): readonly Reading[] {
  const least = new Map<number, Reading>();
  for (const reading of readings) {
    const known = least.get(reading.major);
    if (known === undefined || bytesOf(reading) < bytesOf(known)) least.set(reading.major, reading);
  }
  return [...least.values()].slice(1, -1);
}
