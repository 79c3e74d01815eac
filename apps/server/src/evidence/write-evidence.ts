import { isDeepStrictEqual } from "node:util";
import { CheckedRowSchema, EvidenceHeadSchema, toWire, type ValueOf } from "@assay/contract";
import { DomainError, type EventStore, SCALE_RANGES } from "@assay/domain";
import { type RowEvidence, readRowEvidence } from "@assay/pipeline";
import { evidenceColumns } from "./evidence-columns.ts";
import { csvParts, parquetParts } from "./evidence-files.ts";
import type { EvidenceHead, EvidenceRequest } from "./evidence-request.ts";

/** Reads the values that a row was computed from and writes them as a file, in parts. Throws `evidence-gone`. */
export async function writeEvidence(
  { frame, metric, treatment, run, hashKey, format }: EvidenceRequest,
  events: EventStore,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const evidence = await readRowEvidence(frame, { metric, treatment }, events);
  if (evidence === null) {
    throw new DomainError(
      "evidence-gone",
      "The data that is still stored for this row's users is too little to compute it: users were erased, or the experiment changed. The stored run keeps its numbers.",
    );
  }
  const head = toWire(EvidenceHeadSchema, headOf(evidence, run, frame.codeVersion));
  const columns = evidenceColumns(evidence.lines, hashKey);
  return format === "csv" ? csvParts(head, columns) : parquetParts(head, columns);
}

function headOf(
  { metric, row, sums, isComplete, lines }: RowEvidence,
  run: EvidenceRequest["run"],
  codeVersion: string,
): EvidenceHead {
  const isSame = isDeepStrictEqual(shown(row), shown(run.row));
  const isJudgedBinary = lines.type === "calls" && metric.kind === "binary" && metric.judge !== null;
  return {
    format: "assay-evidence-1",
    ...run,
    kind: metric.kind,
    quantile: metric.kind === "quantile" ? metric.quantile : null,
    windowDays: metric.windowDays,
    passScore: isJudgedBinary ? SCALE_RANGES[metric.judge.scale].max : null,
    recomputed: isSame ? null : row,
    note: isSame ? null : noteOf(run.codeVersion, codeVersion),
    isComplete,
    sums: sums.map((sum) => ({ ...sum, stratum: sum.stratum + 1 })),
  };
}

/** The fields that must be equal for a row to be the same. A judge's row may change in other fields without its numbers. */
function shown(row: ValueOf<typeof CheckedRowSchema>): unknown {
  // A stored run went through JSON, which has no -0.
  return JSON.parse(JSON.stringify({ ...toWire(CheckedRowSchema, row), judge: null }));
}

function noteOf(then: string, now: string): string {
  const code =
    then === now ? "" : `, or because version ${then || "unknown"} computed the run and ${now} this file`;
  return (
    "Recomputed from the data that is stored now, the row has other numbers than the run, because events arrived later, users " +
    `were erased, scores or labels were added, or the plan's limits changed since${code}. This file contains the data that is ` +
    "stored now; recomputed contains the numbers computed from it."
  );
}
