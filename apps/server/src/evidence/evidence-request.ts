import type { EVIDENCE_FORMATS, EvidenceHeadSchema, ValueOf } from "@assay/contract";
import type { MetricDefinition } from "@assay/domain";
import type { RunFrame } from "@assay/pipeline";

/** The metadata of a file of evidence. */
export type EvidenceHead = ValueOf<typeof EvidenceHeadSchema>;

/** The row and the format of the evidence. */
export interface EvidenceRequest {
  readonly frame: RunFrame;
  readonly metric: MetricDefinition;
  readonly treatment: string;
  /** What is known before the data are read. */
  readonly run: Pick<
    EvidenceHead,
    "experimentId" | "computedFor" | "revision" | "version" | "codeVersion" | "window" | "row"
  >;
  /** The key of the hashes that replace user ids; each experiment has its own. */
  readonly hashKey: string;
  readonly format: Exclude<(typeof EVIDENCE_FORMATS)[number], "python">;
}
