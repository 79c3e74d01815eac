/** Adds up numbers in their order; 0 of none. */
export function sumOf(numbers: readonly number[] | Float64Array): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}
