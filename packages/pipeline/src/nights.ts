import type { ExperimentResults, MetricDefinition } from "@assay/domain";
import { sumOf } from "@assay/stats";
import type { Night, NightRow } from "./run-frame.ts";

/** Keeps the fields of a stored nightly run that later runs need. */
export function toNight({ results, srm }: Pick<ExperimentResults, "results" | "srm">): Night {
  const rows = Object.entries(results).map(([key, row]) => {
    const users = sumOf(Object.values(row.nPerArm));
    const { metricVersion, pValueSeq } = row;
    // Runs stored before this field existed lack it.
    const standardError = row.standardError ?? null;
    const isCalibrated = row.judge?.calibrated ?? false;
    return [
      key,
      { metricVersion, users, standardError, pValueSeq, isCalibrated } satisfies NightRow,
    ] as const;
  });
  return { units: sumOf(Object.values(srm.observed)), rows: Object.fromEntries(rows) };
}

/**
 * Returns the same row of earlier nights, oldest first. Only rows of this version of the metric count, and a row that
 * labels corrected does not continue one that rests on the judge alone.
 */
export function earlierRows(
  nights: readonly Night[],
  metric: Pick<MetricDefinition, "name" | "metricVersion">,
  { treatment, isCalibrated }: { readonly treatment: string; readonly isCalibrated: boolean },
): readonly NightRow[] {
  return nights
    .flatMap(({ rows }) => rows[`${metric.name}::${treatment}`] ?? [])
    .filter((row) => row.metricVersion === metric.metricVersion && row.isCalibrated === isCalibrated);
}
