import { binomialLogPmf } from "../distributions/binomial.ts";
import { createUniform, type Uniform } from "../random.ts";
import type { QuadraticForm } from "./quadratic-form.ts";
import { type AllocationShare, toWeights } from "./split-model.ts";

const DRAWS = 100_000;
/** Draws this close below the observed distance count as equal, because the difference is rounding. */
const TIE = 1 - 1e-9;

/**
 * Estimates the p-value of an observed distance from 100,000 splits drawn from the allocation, as (b + 1) / (m + 1)
 * (Phipson & Smyth 2010): never below 1e-5, and the same for the same seed.
 */
export function monteCarloSplit(
  periods: readonly AllocationShare[],
  observed: { readonly form: QuadraticForm; readonly distance: number },
  seed: number,
): number {
  const uniform = createUniform(seed);
  const plans = periods.map(({ shares, users }) => ({
    draws: chancesOfRest(toWeights(shares)).map(binomialDraw),
    users,
  }));
  let atLeast = 0;
  for (let draw = 0; draw < DRAWS; draw++) {
    const counts = plans[0]!.draws.map(() => 0);
    for (const plan of plans) addMultinomial(counts, plan, uniform);
    if (observed.form.distance(counts)! >= observed.distance * TIE) atLeast++;
  }
  return (atLeast + 1) / (DRAWS + 1);
}

/** Each arm's share of the users left by the arms before it. */
function chancesOfRest(weights: readonly number[]): number[] {
  let rest = 1;
  return weights.map((weight) => {
    const chance = weight === 0 ? 0 : Math.min(1, weight / rest);
    rest -= weight;
    return chance;
  });
}

interface Plan {
  /** One per arm: draws how many of the remaining users it takes. */
  readonly draws: readonly BinomialDraw[];
  readonly users: number;
}

function addMultinomial(counts: number[], { draws, users }: Plan, uniform: Uniform): void {
  let left = users;
  for (const [arm, draw] of draws.entries()) {
    const count = draw(left, uniform);
    counts[arm]! += count;
    left -= count;
  }
}

type BinomialDraw = (n: number, uniform: Uniform) => number;

/** Draws by inverting the distribution from the mode outwards, in about √(n p q) steps. Caches what depends only on n. */
function binomialDraw(p: number): BinomialDraw {
  const odds = p / (1 - p);
  const peaks = new Map<number, number>();
  return (n, uniform) => {
    const mode = Math.min(n, Math.floor((n + 1) * p));
    const peak = peaks.get(n) ?? Math.exp(binomialLogPmf(mode, n, p));
    peaks.set(n, peak);
    let [down, up, u] = [peak, peak, uniform() - peak];
    for (let step = 1; u > 0 && step <= n; step++) {
      const [low, high] = [mode - step, mode + step];
      down *= (low + 1) / ((n - low) * odds);
      up *= ((n - high + 1) * odds) / high;
      if (u <= down) return low;
      if (u <= down + up) return high;
      u -= down + up;
    }
    return mode;
  };
}
