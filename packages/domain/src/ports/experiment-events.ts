import type { ExclusionMatch } from "../attribution/exclusions.ts";

/** The events of an experiment that a query reads. */
export interface ExperimentEvents {
  readonly orgId: string;
  readonly experimentId: string;
  /** Events that match any of these are ignored. */
  readonly exclusions: readonly ExclusionMatch[];
}
