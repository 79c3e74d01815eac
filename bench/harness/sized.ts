/** Whether parts only show that they run (`BENCH_TINY=1`), as in their test. The figures are then meaningless. */
export const isTiny = process.env.BENCH_TINY === "1";

/** Chooses the size of a measurement. */
export function sized<T>(full: T, tiny: T): T {
  return isTiny ? tiny : full;
}
