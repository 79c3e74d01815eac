/** Sums numbers in their order; 0 without numbers. */
export function sumOf(numbers: readonly number[] | Float64Array): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}
