import type { RandomStream } from "../random.ts";

/** The sum of an arm's scores and the sum of their squares. */
export interface Sums {
  readonly sum: number;
  readonly squares: number;
}

/** The sums of one arm under many relabelings, one entry each. */
export interface ArmSums {
  readonly sum: Float64Array;
  readonly squares: Float64Array;
}

/** Draws random relabelings that keep the size of each arm; returns the sums of the first arm. */
export type ArmSampler = (stream: RandomStream, relabelings: number) => ArmSums;

/** Creates sums of 0. */
export function emptySums(relabelings: number): ArmSums {
  return { sum: new Float64Array(relabelings), squares: new Float64Array(relabelings) };
}
