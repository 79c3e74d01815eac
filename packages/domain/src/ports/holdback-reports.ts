import type { HoldbackReport } from "../results/holdback-report.ts";

/** The report of each experiment's newest holdback. */
export interface HoldbackReportStore {
  /** Stores the report of the org's experiment; replaces the previous one. */
  put(orgId: string, report: HoldbackReport): Promise<void>;
  /** Null before the first week is analyzed. */
  find(orgId: string, experimentId: string): Promise<HoldbackReport | null>;
}
