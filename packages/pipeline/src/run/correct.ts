import type { MetricResult } from "@assay/domain";
import {
  ALPHA,
  adjustFdr,
  adjustFdrByEvidence,
  type IntervalOutcome,
  minimumDetectableEffect,
  selectionAdjusted,
  selectionLevel,
} from "@assay/stats";
import type { UncorrectedRow } from "./uncorrected-row.ts";

/** Corrects over every row of the run: all metrics and treatments are one family (statistics §5). */
export function correctRows(rows: readonly UncorrectedRow[]): readonly MetricResult[] {
  const total = rows.length;
  const corrected = adjustFdr(rows.map(({ pValue }) => pValue));
  // A row without a standard error has no evidence.
  const sequential = adjustFdrByEvidence(
    rows.map(({ logEvidence }) => logEvidence ?? Number.NEGATIVE_INFINITY),
  );
  const selected = corrected.filter(isSignificant).length;
  return rows.map(({ criticalValue, logEvidence, ...row }, index) => {
    const pValueFdr = corrected[index]!;
    const significant = isSignificant(pValueFdr);
    const interval: IntervalOutcome = { ...row, criticalValue };
    const selection = significant ? selectionAdjusted(interval, selectionLevel(selected, total)) : null;
    return {
      ...row,
      pValueFdr,
      significant,
      verdict: verdictOf(row, significant),
      ciSelectedLow: selection?.ciLow ?? null,
      ciSelectedHigh: selection?.ciHigh ?? null,
      pValueSeqFdr: logEvidence === null ? null : sequential[index]!,
      mdeCorrected: correctedMde(row, total),
    };
  });
}

/** Only the corrected p-value decides (spec §1.4). */
function isSignificant(pValueFdr: number): boolean {
  return pValueFdr < ALPHA;
}

function verdictOf(
  { effect, desired }: Pick<MetricResult, "effect" | "desired">,
  significant: boolean,
): MetricResult["verdict"] {
  if (!significant || effect === 0) return "inconclusive";
  return effect > 0 === (desired === "increase") ? "better" : "worse";
}

/**
 * The smallest detectable effect of each row under a Bonferroni correction: the conservative end.
 */
function correctedMde({ standardError }: Pick<MetricResult, "standardError">, rows: number): number | null {
  if (standardError === null) return null;
  return minimumDetectableEffect(standardError, { alpha: ALPHA / rows });
}
