const DAY_S = 86_400;
/** The busiest second of the day, UTC. */
export const PEAK_S = 15 * 3_600;

/**
 * Creates the curve of a day with a mean of 1 and the given peak (1 to 8): exp(k cos), scaled, by seconds into the day.
 */
export function loadCurve(peakToMean: number): (second: number) => number {
  const sharpness = sharpnessOf(peakToMean);
  const mean = meanOf(sharpness);
  return (second) => Math.exp(sharpness * (Math.cos((2 * Math.PI * (second - PEAK_S)) / DAY_S) - 1)) / mean;
}

/** The ratio of peak to mean grows with the sharpness, from 1 at 0. */
function sharpnessOf(peakToMean: number): number {
  let [low, high] = [0, 20];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (1 / meanOf(middle) < peakToMean) low = middle;
    else high = middle;
  }
  return low;
}

function meanOf(sharpness: number): number {
  const points = 2_880;
  let sum = 0;
  for (let k = 0; k < points; k++) sum += Math.exp(sharpness * (Math.cos((2 * Math.PI * k) / points) - 1));
  return sum / points;
}
