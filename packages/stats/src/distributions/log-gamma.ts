const HALF_LOG_TWO_PI = 0.9189385332046728;
/** From here on, five terms of the series give full double precision. */
const SERIES_FROM = 16;

/**
 * Computes the error of Stirling's formula: ln Γ(x + 1) − [½ ln(2π) + (x + ½) ln x − x], for x > 0.
 * Absolute error about 1e-15. Uses the recurrence of Γ below 16, and the asymptotic series above (Abramowitz & Stegun 6.1.41).
 */
export function stirlingError(x: number): number {
  let shift = 0;
  let y = x;
  while (y < SERIES_FROM) {
    shift += (y + 0.5) * Math.log1p(1 / y) - 1;
    y += 1;
  }
  const s = 1 / (y * y);
  return shift + (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / y;
}

/** Computes ln Γ(x) for x > 0; absolute error about 1e-15 near its zeros 1 and 2, relative 1e-15 elsewhere. */
export function logGamma(x: number): number {
  return stirlingError(x) + HALF_LOG_TWO_PI + (x - 0.5) * Math.log(x) - x;
}
