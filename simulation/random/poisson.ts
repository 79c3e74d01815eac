import type { Draw } from "./draw.ts";

/** Draws a Poisson number: Knuth's product of uniforms, or a rounded normal where that would take long. */
export function poisson(mean: number, { uniform, normal }: Draw): number {
  if (mean > 12) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
  const least = Math.exp(-mean);
  let count = 0;
  for (let product = uniform(); product > least; product *= uniform()) count++;
  return count;
}
