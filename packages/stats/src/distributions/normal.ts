import { upperGamma } from "./incomplete-gamma.ts";

/**
 * Computes the upper tail P(Z > z) of the standard normal distribution, for any z; relative error below 2e-13 down to
 * 1e-300, because the tail is not computed as 1 − P(Z ≤ z).
 */
export function normalSf(z: number): number {
  return z < 0 ? 1 - normalSf(-z) : 0.5 * upperGamma(0.5, (z * z) / 2);
}

/** Computes P(Z ≤ z) of the standard normal distribution; small values keep their relative accuracy. */
export function normalCdf(z: number): number {
  return normalSf(-z);
}

const CENTRE = {
  numerator: [
    3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987,
    67265.7709270087, 33430.57558358813, 2509.0809287301227,
  ],
  denominator: [
    1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
    28729.085735721943, 5226.495278852854,
  ],
};
const SHOULDER = {
  numerator: [
    1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
    0.2417807251774506, 0.022723844989269184, 7.745450142783414e-4,
  ],
  denominator: [
    1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
    5.475938084995345e-4, 1.0507500716444169e-9,
  ],
};
const TAIL = {
  numerator: [
    6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
    0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7,
  ],
  denominator: [
    1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 7.868691311456133e-4,
    1.8463183175100548e-5, 1.421511758316446e-7, 2.0442631033899397e-15,
  ],
};

interface Rational {
  readonly numerator: readonly number[];
  readonly denominator: readonly number[];
}

function evaluate({ numerator, denominator }: Rational, x: number): number {
  const polynomial = (terms: readonly number[]) => terms.reduceRight((sum, term) => sum * x + term, 0);
  return polynomial(numerator) / polynomial(denominator);
}

/**
 * Computes z with P(Z ≤ z) = p for 0 ≤ p ≤ 1 (∓∞ at the ends, NaN outside); relative error about 1e-15.
 * Wichura 1988, algorithm AS 241 (PPND16).
 */
export function normalQuantile(p: number): number {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) return q * evaluate(CENTRE, 0.180625 - q * q);
  const tail = Math.min(p, 1 - p);
  if (tail === 0) return Math.sign(q) * Number.POSITIVE_INFINITY;
  const r = Math.sqrt(-Math.log(tail));
  return Math.sign(q) * (r <= 5 ? evaluate(SHOULDER, r - 1.6) : evaluate(TAIL, r - 5));
}
