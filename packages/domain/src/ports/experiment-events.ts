import type { ExclusionMatch } from "../attribution/exclusions.ts";

/** Which events of an experiment a query reads. */
export interface ExperimentEvents {
  readonly orgId: string;
  readonly experimentId: string;
  /** Events that fit one of these do not exist for the query. */
  readonly exclusions: readonly ExclusionMatch[];
}
