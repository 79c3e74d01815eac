import type { EVIDENCE_FORMATS, EvidenceHeadSchema, ValueOf } from "@assay/contract";
import type { MetricDefinition } from "@assay/domain";
import type { RunFrame } from "@assay/pipeline";

/** What a file of evidence says of itself. */
export type EvidenceHead = ValueOf<typeof EvidenceHeadSchema>;

/** Which row's evidence to write, and how. */
export interface EvidenceRequest {
  /** Of the run. */
  readonly frame: RunFrame;
  readonly metric: MetricDefinition;
  readonly treatment: string;
  /** What is known before the data are read. */
  readonly run: Pick<
    EvidenceHead,
    "experimentId" | "computedFor" | "revision" | "version" | "codeVersion" | "window" | "row"
  >;
  /** Of the hashes that stand for users: another key for each experiment. */
  readonly hashKey: string;
  readonly format: Exclude<(typeof EVIDENCE_FORMATS)[number], "python">;
}
