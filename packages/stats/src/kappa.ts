import { Z } from "./level.ts";

/** How disagreements are weighted: all equally, or by the squared distance between the categories. */
export type KappaWeights = "none" | "quadratic";

export interface Kappa {
  /** 1: they always agree; 0: as often as by chance; below: less often. */
  readonly kappa: number;
  readonly standardError: number;
  /** 95% interval, within −1 and 1. */
  readonly ciLow: number;
  readonly ciHigh: number;
}

/**
 * Computes Cohen's kappa, the agreement of two raters beyond chance, from a square table: `counts[i][j]` items that the first
 * put into category i and the second into j. Quadratic weights are for ordered categories (Cohen 1968). The standard error is
 * the large-sample one (Fleiss, Cohen & Everitt 1969); it is 0 if they always agree. Null without items, or if both raters put
 * everything into one category, because chance alone would then agree.
 */
export function cohenKappa(counts: readonly (readonly number[])[], weights: KappaWeights): Kappa | null {
  const total = sum(counts, (count) => count);
  const rows = counts.map((row) => sum([row], (count) => count) / total);
  const columns = counts.map((_, j) => sum(counts, (count, __, k) => (k === j ? count : 0)) / total);
  const agreement = (i: number, j: number) => agreementOf(i - j, { weights, categories: counts.length });
  const observed = sum(counts, (count, i, j) => agreement(i, j) * count) / total;
  const expected = sum(counts, (_, i, j) => agreement(i, j) * rows[i]! * columns[j]!);
  const room = 1 - expected;
  const kappa = (observed - expected) / room;
  if (!Number.isFinite(kappa)) return null;
  const ofRows = counts.map((_, i) => sum([columns], (share, __, j) => share * agreement(i, j)));
  const ofColumns = counts.map((_, j) => sum([rows], (share, __, i) => share * agreement(i, j)));
  const squares = sum(
    counts,
    (count, i, j) => count * (agreement(i, j) - (ofRows[i]! + ofColumns[j]!) * (1 - kappa)) ** 2,
  );
  const variance = squares / total - (kappa - expected * (1 - kappa)) ** 2;
  // Perfect agreement gives 0 up to rounding, which may be slightly negative.
  const standardError = Math.sqrt(Math.max(0, variance) / total) / room;
  return {
    kappa,
    standardError,
    ciLow: Math.max(-1, kappa - Z * standardError),
    ciHigh: Math.min(1, kappa + Z * standardError),
  };
}

function agreementOf(
  gap: number,
  { weights, categories }: { readonly weights: KappaWeights; readonly categories: number },
): number {
  if (gap === 0) return 1;
  return weights === "none" ? 0 : 1 - (gap / (categories - 1)) ** 2;
}

function sum(
  table: readonly (readonly number[])[],
  term: (count: number, row: number, column: number) => number,
): number {
  let total = 0;
  for (const [i, row] of table.entries()) for (const [j, count] of row.entries()) total += term(count, i, j);
  return total;
}
