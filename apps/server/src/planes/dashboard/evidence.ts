import { readFileSync } from "node:fs";
import {
  type AnswerFile,
  completeRun,
  EVIDENCE_MEDIA_TYPES,
  experiments as operations,
} from "@assay/contract";
import { DomainError, resultsOf, type StoredRun } from "@assay/domain";
import { loadFrameOfRun } from "@assay/pipeline";
import { auditEntry } from "../../audit-entry.ts";
import type { Deps } from "../../deps.ts";
import type { EvidenceRequest } from "../../evidence/evidence-request.ts";
import { defineRoute } from "../../http/define-route.ts";
import { pipelineDeps } from "../../pipeline/run-nightly.ts";
import { findRun } from "./find-run.ts";

const SCRIPT = readFileSync(new URL("../../evidence/check_row.py", import.meta.url));

export const getEvidence = defineRoute(operations.getEvidence, async ({ params, query, caller }, deps) => {
  const { id } = await deps.control.experiments.get(caller.orgId, params.id);
  const { metric, treatment, revision, format = "csv" } = query;
  if (format === "python")
    return { mediaType: EVIDENCE_MEDIA_TYPES.python, name: "check_row.py", parts: [SCRIPT] };
  const run = await findRun({ orgId: caller.orgId, id }, { label: params.day, revision }, deps);
  rejectMissingRow(run, metric, treatment);
  deps.rateLimits.analyses.take(caller.orgId);
  const parts = await deps.pipeline.writeEvidence(await requestOf(run, { metric, treatment, format }, deps));
  const entry = {
    action: "experiment.download-evidence",
    targetType: "experiment",
    targetId: id,
    summary: `Downloaded what ${metric} of ${treatment} was computed from: ${run.label}, revision ${run.revision}.`,
  };
  await deps.control.audit.record(auditEntry(caller, entry, deps));
  const name = [metric, treatment, run.label]
    .map((part) => part.replaceAll(/[^A-Za-z0-9.]+/g, "-"))
    .join("_");
  return { mediaType: EVIDENCE_MEDIA_TYPES[format], name: `${name}.${format}`, parts } satisfies AnswerFile;
});

function rejectMissingRow(run: StoredRun, metric: string, treatment: string): void {
  const { results } = resultsOf(run);
  if (Object.hasOwn(results, `${metric}::${treatment}`)) return;
  const rows = Object.values(results).map((row) => `${row.metric} of ${row.treatment}`);
  const detail =
    rows.length === 0
      ? "The run has no rows: it was withheld, or no metric had enough data."
      : `The run has no row for ${metric} and ${treatment}. It has: ${rows.join(", ")}.`;
  throw new DomainError("row-not-found", detail);
}

async function requestOf(
  run: StoredRun,
  {
    metric: name,
    treatment,
    format,
  }: Pick<EvidenceRequest, "treatment" | "format"> & { readonly metric: string },
  deps: Deps,
): Promise<EvidenceRequest> {
  const { orgId, experimentId, revision } = run;
  const frame = await loadFrameOfRun(run, await pipelineDeps(orgId, deps));
  const { computedFor, version, codeVersion, window, results } = completeRun(resultsOf(run));
  const row = results[`${name}::${treatment}`]!;
  const metric = frame.experiment.config.metrics.find((one) => one.name === name)!;
  return {
    ...{ frame, metric, treatment, format },
    run: { experimentId, computedFor, revision, version, codeVersion, window, row },
    hashKey: deps.sealer.fingerprint(JSON.stringify(["evidence", orgId, experimentId])),
  };
}
