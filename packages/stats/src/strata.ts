import type { ArmEstimate } from "./fieller.ts";

/** The data of two arms within one allocation period. Users are randomized within periods, not across them. */
export interface Stratum<A> {
  readonly control: A;
  readonly treatment: A;
}

/** Converts both arms. */
export function mapArms<A, B>({ control, treatment }: Stratum<A>, convert: (arm: A) => B): Stratum<B> {
  return { control: convert(control), treatment: convert(treatment) };
}

/** Converts both arms of every stratum. */
export function mapStrata<A, B>(strata: readonly Stratum<A>[], convert: (arm: A) => B): Stratum<B>[] {
  return strata.map((stratum) => mapArms(stratum, convert));
}

/** Pairs the two arms' data of each stratum. */
export function pairArms<A>(control: readonly A[], treatment: readonly A[]): Stratum<A>[] {
  return control.map((arm, i) => ({ control: arm, treatment: treatment[i]! }));
}

/** An arm's estimate over all strata, with their total users and the degrees of freedom of its variance. */
export interface CombinedEstimate extends ArmEstimate {
  readonly df: number;
}

/** Computes each stratum's share of the users of both arms. These are the weights of every stratified estimate. */
export function userShares<A>(strata: readonly Stratum<A>[], usersOf: (arm: A) => number): number[] {
  const users = strata.map(({ control, treatment }) => usersOf(control) + usersOf(treatment));
  const all = users.reduce((sum, n) => sum + n, 0);
  return users.map((n) => n / all);
}

/**
 * Combines estimates of at least one stratum into one per arm: values weighted by the strata's shares of users, variances
 * by the shares' squares (the post-stratified mean; with one stratum, that stratum's estimate unchanged).
 */
export function combineStrata(strata: readonly Stratum<ArmEstimate>[]): Stratum<CombinedEstimate> {
  const shares = userShares(strata, ({ n }) => n);
  const combine = (arm: keyof Stratum<ArmEstimate>) =>
    strata.map((stratum, i) => weigh(stratum[arm], shares[i]!)).reduce(addEstimates);
  return { control: combine("control"), treatment: combine("treatment") };
}

/**
 * Computes the degrees of freedom of the sum of two independent variances (Welch 1947, Satterthwaite 1946), from their
 * shares of the sum, which cannot overflow. If neither has a spread, the degrees of freedom are added.
 */
export function satterthwaiteDf(
  a: Pick<CombinedEstimate, "variance" | "df">,
  b: Pick<CombinedEstimate, "variance" | "df">,
): number {
  if (a.variance + b.variance === 0) return a.df + b.df;
  const share = b.variance / (a.variance + b.variance);
  return 1 / (share ** 2 / b.df + (1 - share) ** 2 / a.df);
}

function weigh({ n, value, variance }: ArmEstimate, share: number): CombinedEstimate {
  return { n, value: share * value, variance: share * share * variance, df: n - 1 };
}

function addEstimates(a: CombinedEstimate, b: CombinedEstimate): CombinedEstimate {
  return {
    n: a.n + b.n,
    value: a.value + b.value,
    variance: a.variance + b.variance,
    df: satterthwaiteDf(a, b),
  };
}
