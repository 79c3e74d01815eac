import type { ExperimentStatus } from "../experiment/config.ts";
import type { UsageMonth } from "../metering/usage-month.ts";
import type { PlanState } from "../plan/plan-state.ts";
import type { Usage } from "./metering.ts";
import type { Org } from "./orgs.ts";
import type { Page, PageQuery } from "./page.ts";
import type { PipelineRun } from "./results.ts";

/** One org as the platform owner sees it. */
export interface OrgSummary {
  readonly org: Org;
  readonly plan: PlanState;
  readonly members: number;
  readonly experiments: number;
  readonly usage: Usage;
}

export interface PlatformTotals {
  readonly orgs: number;
  readonly users: number;
  readonly experiments: Readonly<Record<ExperimentStatus, number>>;
  readonly usage: Usage;
}

/** The latest day of which a nightly run is recorded, over all orgs. */
export interface PipelineDay {
  readonly day: string;
  /** When the last of its runs that ended did; null when none has. */
  readonly finishedAt: number | null;
  readonly outcomes: Readonly<Partial<Record<PipelineRun["outcome"], number>>>;
}

export interface FailedRun {
  readonly orgId: string;
  readonly experimentId: string;
  readonly experimentName: string;
  readonly day: string;
  readonly startedAt: number;
  readonly detail: string | null;
}

/** The platform owner's look over all orgs: the only queries that name none. */
export interface AdminStore {
  getTotals(month: UsageMonth): Promise<PlatformTotals>;
  listOrgs(month: UsageMonth, page: PageQuery): Promise<Page<OrgSummary>>;
  findOrg(orgId: string, month: UsageMonth): Promise<OrgSummary | null>;
  findLastPipelineDay(): Promise<PipelineDay | null>;
  /** `since`: a day, YYYY-MM-DD. Runs that failed and were not made good by a later try, newest first, at most `limit`. */
  listFailedRuns(since: string, limit: number): Promise<readonly FailedRun[]>;
}
