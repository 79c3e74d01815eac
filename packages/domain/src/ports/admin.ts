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
  /** Shipped and archived ones count as stopped. */
  readonly experiments: Readonly<Record<Exclude<ExperimentStatus, "shipped" | "archived">, number>>;
  readonly usage: Usage;
}

/** The latest day with a recorded nightly run, over all orgs. */
export interface PipelineDay {
  readonly day: string;
  /** When the last of its runs finished; null when none has. */
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

/** The platform owner's queries over all orgs: the only ones that name no org. */
export interface AdminStore {
  getTotals(month: UsageMonth): Promise<PlatformTotals>;
  listOrgs(month: UsageMonth, page: PageQuery): Promise<Page<OrgSummary>>;
  findOrg(orgId: string, month: UsageMonth): Promise<OrgSummary | null>;
  findLastPipelineDay(): Promise<PipelineDay | null>;
  /** Failed runs that no later attempt completed, since a day (YYYY-MM-DD), newest first, at most `limit`. */
  listFailedRuns(since: string, limit: number): Promise<readonly FailedRun[]>;
}
