import { type RehearsalMetric, type RehearsalPlan, type RehearsalRow, SCALE_RANGES } from "@assay/domain";
import {
  ALPHA,
  adjustFdr,
  alwaysValid,
  clusteredMean,
  floorPValue,
  normalQuantile,
  ppiMean,
  type ScoredUnit,
  studentTQuantile,
  studentTSf,
  sumOf,
} from "@assay/stats";
import { MIN_LABELS_PER_ARM } from "../judge/agreement.ts";
import { type InputValues, inputValues, isJudgeable, type PairedInput } from "./paired-inputs.ts";
import { EXPECTED_PICKS } from "./thresholds.ts";

/** A row before the correction over the report. */
export type UncorrectedRow = Omit<RehearsalRow, "adjustedPValue" | "isSignificant">;

interface Comparison {
  readonly plan: RehearsalPlan;
  readonly treatment: string;
  readonly inputs: readonly PairedInput[];
  /** Number of users in the whole dataset. */
  readonly expectedUsers: number;
}

/** An effect with its error, and the numbers of users so far and expected. */
interface Estimate {
  readonly effect: number;
  readonly standardError: number;
  readonly df: number;
  readonly n: number;
  readonly expectedUsers: number;
}

const UPPER = 1 - ALPHA / 2;

const UNKNOWN = {
  effect: null,
  ciLow: null,
  ciHigh: null,
  alwaysValidLow: null,
  alwaysValidHigh: null,
  pValue: null,
  isCorrected: false,
} as const;

/** Compares one metric of a treatment with control, over the inputs that have a value in both arms. */
export function compareMetric(metric: RehearsalMetric, comparison: Comparison): UncorrectedRow {
  const { plan, treatment, inputs, expectedUsers } = comparison;
  const values = inputValues(inputs, metric);
  const row = {
    metric,
    treatment,
    inputs: values.length,
    clusters: new Set(values.map(({ cluster }) => cluster)).size,
    controlValue: meanOf(values, ({ control }) => control),
    treatmentValue: meanOf(values, (own) => own.treatment),
  };
  const reach = reachOf(metric, plan);
  const judged = metric === "preference" ? judgedPairs(inputs) : NONE_JUDGED;
  const picks = judged.scored.filter(({ label }) => label !== null).length;
  const corrected = picks < MIN_LABELS_PER_ARM ? null : correctedPreference(judged);
  if (corrected !== null) return { ...row, picks, ...inferred(corrected, reach), isCorrected: true };
  const mean = clusteredMean(values, { reach });
  if (mean === null) return { ...row, picks, ...UNKNOWN, effect: meanOf(values, ({ value }) => value) };
  const { df, standardError, clusters: n } = mean;
  const estimate = { effect: mean.mean, standardError, df, n, expectedUsers };
  return { ...row, picks, ...inferred(estimate, reach), isCorrected: false };
}

/** Adjusts p over all rows that have one. Rows without one are not part of the family. */
export function correctOverReport(rows: readonly UncorrectedRow[]): readonly RehearsalRow[] {
  const adjusted = adjustFdr(rows.flatMap(({ pValue }) => pValue ?? [])).values();
  return rows.map((row) => {
    const adjustedPValue = row.pValue === null ? null : adjusted.next().value!;
    return { ...row, adjustedPValue, isSignificant: adjustedPValue !== null && adjustedPValue < ALPHA };
  });
}

/** The largest difference that a metric can have; 0 if it is unbounded. */
function reachOf(metric: RehearsalMetric, { judge }: RehearsalPlan): number {
  if (metric === "preference" || metric === "error") return 1;
  const { min, max } = SCALE_RANGES[judge.scale];
  return metric === "score" ? max - min : 0;
}

interface JudgedPairs {
  /** Pairs that needed a judgement, with the judge's preference and a person's. */
  readonly scored: readonly ScoredUnit[];
  /** Pairs whose preference is known without a judgement. */
  readonly known: Parameters<typeof ppiMean>[1]["known"];
}

const NONE_JUDGED: JudgedPairs = { scored: [], known: [] };

function judgedPairs(inputs: readonly PairedInput[]): JudgedPairs {
  const units = inputs.flatMap(({ cluster, weight, pairs }) =>
    pairs.flatMap((pair) =>
      Number.isNaN(pair.preference) ? [] : { pair, cluster, weight: weight / pairs.length },
    ),
  );
  const scored = units
    .filter(({ pair }) => isJudgeable(pair))
    .map(({ pair: { preference: score, pick }, cluster, weight }) => {
      return { cluster, weight, score, label: Number.isNaN(pick) ? null : pick };
    });
  const known = units.filter(({ pair }) => !isJudgeable(pair));
  return { scored, known: known.map(({ pair, ...unit }) => ({ ...unit, value: pair.preference })) };
}

/** Corrects the judge's preferences by people's picks (PPI++). Null if all picks are in one user's pairs. */
function correctedPreference({ scored, known }: JudgedPairs): Estimate | null {
  const mean = ppiMean(scored, { known, reach: 1 });
  return mean && { ...mean, effect: mean.mean, n: mean.df + 1, expectedUsers: EXPECTED_PICKS };
}

/** Intervals and p-value by Student's t. Without any spread and without a `reach`, the error is unknown. */
function inferred({ effect, standardError, df, n, expectedUsers }: Estimate, reach: number) {
  if (standardError === 0) return { ...UNKNOWN, effect };
  const limit = reach || Number.POSITIVE_INFINITY;
  const limited = (value: number) => Math.min(limit, Math.max(-limit, value));
  const criticalValue = studentTQuantile(UPPER, df);
  // A confidence sequence assumes many users. For few, the error is widened to that of Student's t.
  const sequence = alwaysValid({
    effect,
    standardError: (standardError * criticalValue) / normalQuantile(UPPER),
    n,
    expectedUsers,
  });
  const half = criticalValue * standardError;
  return {
    effect,
    ciLow: limited(effect - half),
    ciHigh: limited(effect + half),
    alwaysValidLow: limited(sequence.ciLow),
    alwaysValidHigh: limited(sequence.ciHigh),
    pValue: floorPValue(2 * studentTSf(Math.abs(effect) / standardError, df)),
  };
}

function meanOf(values: readonly InputValues[], of: (input: InputValues) => number | null): number | null {
  const known = values.flatMap((input) => {
    const value = of(input);
    return value === null ? [] : { weight: input.weight, value };
  });
  if (known.length === 0) return null;
  return sumOf(known.map(({ weight, value }) => weight * value)) / sumOf(known.map(({ weight }) => weight));
}
