import { normalQuantile } from "./distributions/normal.ts";

/** The two-sided level at which results decide. Intervals have coverage 1 − α. */
export const ALPHA = 0.05;
/** The probability below the upper end of a symmetric interval. */
export const UPPER = 1 - ALPHA / 2;
/** Half the width of a normal interval in standard errors. */
export const Z = normalQuantile(UPPER);
