/** Whether the bench only checks that its parts run (`BENCH_TINY=1`), as in its test. The figures are then meaningless. */
export const isTiny = process.env.BENCH_TINY === "1";

/** Chooses the size of a measurement. */
export function sized<T>(full: T, tiny: T): T {
  return isTiny ? tiny : full;
}
