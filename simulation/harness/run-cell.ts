import { createDraw } from "../random/draw.ts";
import type { Cell } from "./cell.ts";

/** Totals over the repetitions with a value for a measure. */
export interface Tally {
  readonly count: number;
  readonly mean: number;
  /** Of the mean. */
  readonly standardError: number;
}

/**
 * Runs a cell. The random source of repetition k is named by the cell's id and k, so the figures depend on nothing
 * else.
 */
export function runCell({ id, measures, observe }: Cell, repetitions: number): readonly Tally[] {
  const sums = measures.map(() => ({ count: 0, sum: 0, squares: 0 }));
  for (let k = 0; k < repetitions; k++) {
    const observation = observe(createDraw(`${id}#${k}`));
    for (const [index, value] of observation.entries()) {
      if (value === null) continue;
      const own = sums[index]!;
      own.count += 1;
      own.sum += value;
      own.squares += value * value;
    }
  }
  return sums.map(toTally);
}

function toTally({ count, sum, squares }: { count: number; sum: number; squares: number }): Tally {
  const mean = sum / count;
  return { count, mean, standardError: Math.sqrt(Math.max(0, squares / count - mean * mean) / count) };
}
