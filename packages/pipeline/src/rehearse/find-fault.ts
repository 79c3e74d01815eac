import type { OrderBias, RehearsalFault, RehearsalRow } from "@assay/domain";
import { isJudgeable, type PairedInput } from "./paired-inputs.ts";
import {
  MAX_FAILED_SHARE,
  MAX_INCONSISTENT_SHARE,
  MAX_UNJUDGED_SHARE,
  MIN_FAILED_ANSWERS,
  MIN_REHEARSED_USERS,
  MIN_UNJUDGED,
} from "./thresholds.ts";

interface Measured {
  readonly quality: Pick<RehearsalRow, "inputs" | "clusters" | "isCorrected">;
  readonly inputs: readonly PairedInput[];
  /** Always null in mode `score`. */
  readonly bias: OrderBias | null;
}

/** Finds the fault that prevents a verdict on a treatment; null if there is none. */
export function findFault({ quality, inputs, bias }: Measured): RehearsalFault | null {
  const pairs = inputs.flatMap((input) => input.pairs);
  if (isOften(pairs.filter(({ control }) => control.hasFailed).length, pairs.length))
    return "too-many-failures";
  if (isOften(pairs.filter(({ treatment }) => treatment.hasFailed).length, pairs.length))
    return "too-many-failures";
  const judgeable = pairs.filter(isJudgeable);
  const unjudged = judgeable.filter(({ isUnjudged }) => isUnjudged).length;
  if (unjudged >= MIN_UNJUDGED && unjudged / judgeable.length >= MAX_UNJUDGED_SHARE) return "judge-failed";
  if (quality.inputs === 0) return "no-data";
  if (quality.clusters < MIN_REHEARSED_USERS) return "too-few-inputs";
  const isInconsistent = bias !== null && bias.inconsistentShare > MAX_INCONSISTENT_SHARE;
  return isInconsistent && !quality.isCorrected ? "judge-inconsistent" : null;
}

function isOften(failed: number, answers: number): boolean {
  return failed >= MIN_FAILED_ANSWERS && failed / answers > MAX_FAILED_SHARE;
}
