import fc from "fast-check";
import { expect, test } from "vitest";
import { addExactly, canonicalPartials, roundedSum } from "./exact-sum.ts";

function partialsOf(values: readonly number[]): number[] {
  const partials: number[] = [];
  for (const value of values) addExactly(partials, value);
  return partials;
}

/** A double as a whole number of 2^-1074. */
function toUnits(value: number): bigint {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const raw = bits.getBigUint64(0);
  const exponent = Number((raw >> 52n) & 2047n);
  const fraction = raw & ((1n << 52n) - 1n);
  const units = exponent === 0 ? fraction : (fraction | (1n << 52n)) << BigInt(exponent - 1);
  return raw >> 63n === 1n ? -units : units;
}

const someValue = fc.oneof(
  fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
  fc.double({ noNaN: true, min: -1e290, max: 1e290 }),
  fc.constantFrom(1, -1, 2 ** 53, 2 ** -53, 2 ** -54, -(2 ** -54), 5e-324, 1e16, -1e16),
);
const someValues = fc.array(someValue, { maxLength: 30 });

test("the partial sums have no error, and the rounded sum is the double nearest to them", () => {
  fc.assert(
    fc.property(someValues, (values) => {
      const partials = partialsOf(values);
      const exact = values.reduce((sum, value) => sum + toUnits(value), 0n);
      expect(partials.reduce((sum, partial) => sum + toUnits(partial), 0n)).toBe(exact);
      const sum = roundedSum(partials);
      const errorOf = (double: number) => {
        const error = toUnits(double) - exact;
        return error < 0n ? -error : error;
      };
      const bits = new DataView(new ArrayBuffer(8));
      for (const step of [1n, -1n]) {
        bits.setFloat64(0, sum);
        bits.setBigUint64(0, bits.getBigUint64(0) + (sum === 0 ? 1n : step));
        const neighbour = bits.getFloat64(0);
        if (Number.isFinite(neighbour)) expect(errorOf(sum) <= errorOf(neighbour)).toBe(true);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("no order of the values changes a bit of the sum or of its canonical partial sums", () => {
  fc.assert(
    fc.property(
      someValues.chain((values) =>
        fc.tuple(
          fc.constant(values),
          fc.shuffledSubarray(values, { minLength: values.length, maxLength: values.length }),
        ),
      ),
      ([values, shuffled]) => {
        const [one, other] = [partialsOf(values), partialsOf(shuffled)];
        expect(roundedSum(other)).toBe(roundedSum(one));
        const canonical = canonicalPartials(one);
        expect(canonicalPartials(other)).toEqual(canonical);
        expect(roundedSum(canonical)).toBe(roundedSum(one));
        expect(
          canonical.every((partial, i) => i === 0 || Math.abs(partial) > Math.abs(canonical[i - 1]!)),
        ).toBe(true);
      },
    ),
    { numRuns: 1_000 },
  );
});

test("what is half way between two doubles goes to the even one, unless something follows", () => {
  expect(roundedSum(partialsOf([1, 2 ** -53]))).toBe(1);
  expect(roundedSum(partialsOf([1, 2 ** -53, 2 ** -120]))).toBe(1 + 2 ** -52);
  expect(roundedSum(partialsOf([1, 2 ** -53, -(2 ** -120)]))).toBe(1);
});

test("a second value beyond 2^1010 makes the sum infinite, whatever comes before or after it", () => {
  expect(roundedSum(partialsOf([1.7e308, 1]))).toBe(1.7e308);
  expect(roundedSum(partialsOf([1e300, 1, 1e300, -1e300]))).toBe(1e300);
  expect(canonicalPartials(partialsOf([1, -1.7e308]))).toEqual([1, -1.7e308]);
  // Half way between the largest double and what would follow it.
  expect(canonicalPartials([2 ** 970, Number.MAX_VALUE])).toEqual([Number.POSITIVE_INFINITY]);
  const huge = 2 ** 1010;
  expect(roundedSum(partialsOf([huge, 1, huge, -huge]))).toBe(huge);
  expect(roundedSum(partialsOf([0.99 * huge, 0.99 * huge]))).toBe(1.98 * huge);
  for (const values of [
    [1.01 * huge, 1.01 * huge],
    [1e305, 1, -1e305],
    [1.7e308, 1.7e308, -1.7e308, 1],
    [1.7976931348623157e308, 1e303, -1e303],
    [1, -1e305, 1, 1e305],
  ]) {
    expect(roundedSum(partialsOf(values))).toBe(Number.POSITIVE_INFINITY);
    expect(canonicalPartials(partialsOf(values))).toEqual([Number.POSITIVE_INFINITY]);
  }
});
